// output.h: where pmuctl's output goes.
//
// Thread-compatible.
#ifndef PMU_CLIENT_CLI_OUTPUT_H_
#define PMU_CLIENT_CLI_OUTPUT_H_

#include <cstddef>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace pmu::cli {

// Columns of the terminal behind `file`; COLUMNS from the environment, or
// else `otherwise`, when it is none.
size_t OutputWidth(std::FILE* file, size_t otherwise);

// OK when `path` can be written. A file that does not exist yet is not left
// behind. Asked before a measurement, whose result would be lost.
absl::Status CheckWritable(const std::string& path);

// Replaces the file at `path` as a whole: a reader sees the old or the new
// text, never a part, and after an error the old one. A symbolic link is
// followed; what is not a regular file (a pipe, /dev/null) is written to.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view text);

// To an open stream, flushed. The error names the stream.
absl::Status WriteStream(std::FILE* file, absl::string_view text);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_OUTPUT_H_
