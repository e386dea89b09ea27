// root_files.h: small files of /sys and /proc, below a root directory.
//
// Everything the agent reads of /sys and /proc goes through here, under a root
// prefix: "" is the live machine, a directory is a recorded or made-up one.
// Nothing here trusts what it reads: only regular files are read, never more
// than a limit, and a FIFO or a directory in a file's place is an error, not a
// hang.
//
// Pure functions of the file system, safe to call from any thread.
#ifndef PMU_SERVER_MACHINE_ROOT_FILES_H_
#define PMU_SERVER_MACHINE_ROOT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// Files of /proc and /sys that matter here are far smaller.
inline constexpr size_t kMaxSmallFileBytes = 1024 * 1024;

// root + path; `path` starts with '/'. RootedPath("", "/sys") is "/sys".
std::string RootedPath(absl::string_view root, absl::string_view path);

// The whole file. NOT_FOUND, PERMISSION_DENIED and so on from errno, with the
// path in the message; FAILED_PRECONDITION not a regular file, or above the
// limit.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// The same without white space at both ends.
absl::StatusOr<std::string> ReadTrimmedFile(const std::string& path);

// Names in a directory but "." and "..", sorted. Errors as ReadSmallFile.
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path);

bool FileExists(const std::string& path);

}  // namespace pmu::server

#endif  // PMU_SERVER_MACHINE_ROOT_FILES_H_
