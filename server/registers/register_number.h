// register_number.h: numbers in configuration text: decimal or 0x hex.
#ifndef PMU_SERVER_REGISTERS_REGISTER_NUMBER_H_
#define PMU_SERVER_REGISTERS_REGISTER_NUMBER_H_

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// True and sets `out` when the whole text (white space around it aside) is an
// unsigned number below 2^64. Pure; ignores the locale.
inline bool ParseRegisterNumber(absl::string_view text, uint64_t* out) {
  text = absl::StripAsciiWhitespace(text);
  const bool is_hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (is_hex) text.remove_prefix(2);
  // SimpleAtoi would take a sign.
  if (text.empty() || !(is_hex ? absl::ascii_isxdigit(text[0]) : absl::ascii_isdigit(text[0]))) {
    return false;
  }
  return is_hex ? absl::SimpleHexAtoi(text, out) : absl::SimpleAtoi(text, out);
}

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_REGISTER_NUMBER_H_
