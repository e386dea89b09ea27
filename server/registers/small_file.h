// small_file.h: a small file of /sys or /proc, read whole.
#ifndef PMU_SERVER_REGISTERS_SMALL_FILE_H_
#define PMU_SERVER_REGISTERS_SMALL_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace pmu::server {

// Larger files are an error.
inline constexpr size_t kMaxSmallFileBytes = 64 * 1024;

// Never hangs on a FIFO. NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION
// (not a regular file, too large), INTERNAL. Safe to call from any thread.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SMALL_FILE_H_
