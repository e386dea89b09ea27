// utf8.h: text of unknown origin, made fit for proto3 strings.
//
// A proto3 string that is not valid UTF-8 makes the receiver refuse the whole
// message, and files of the kernel may hold any bytes. Pure functions.
#ifndef PMU_SERVER_UTF8_H_
#define PMU_SERVER_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace pmu::server {

// `text` with every byte that is not part of well-formed UTF-8 (RFC 3629)
// replaced by '?'.
std::string ValidUtf8(absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_UTF8_H_
