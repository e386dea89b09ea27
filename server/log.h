// log.h: the agent's log, one line an event, on stderr.
//
//   2026-02-03T04:05:06.789Z info  session s-0123456789abcdef armed: ...
//
// A line is written with one write(2), so lines of several threads do not mix.
// Control characters in it come out as \xNN: nothing that a client sends can
// forge a line. Text from clients also goes through Quoted, so that it cannot
// pass for words of ours either.
//
// Thread-safe.
#ifndef PMU_SERVER_LOG_H_
#define PMU_SERVER_LOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace pmu::server {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warning", "error". INVALID_ARGUMENT lists them.
absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text);

// Lines below this level are dropped. kInfo unless set.
void SetLogLevel(LogLevel level);

// Worth asking before a costly line is put together.
bool LogEnabled(LogLevel level);

void Log(LogLevel level, absl::string_view text);

// The line as it is written, with its newline.
std::string FormatLogLine(LogLevel level, absl::Time wall, absl::string_view text);

// `text` in double quotes, escaped as in C; cut after 200 bytes, which "..."
// after the quotes then says.
std::string Quoted(absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_LOG_H_
