#include "server/log.h"

#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace pmu::server {
namespace {

constexpr size_t kMaxQuotedBytes = 200;
std::atomic<LogLevel> least_level{LogLevel::kInfo};

const char* LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

void AppendPrintable(absl::string_view text, std::string* line) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(line, "\\x%02x", byte);
    } else {
      line->push_back(c);
    }
  }
}

}  // namespace

absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (text == LevelName(level)) return level;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log level ", Quoted(text), " is none of debug, info, warning, error"));
}

void SetLogLevel(LogLevel level) { least_level = level; }

bool LogEnabled(LogLevel level) { return level >= least_level.load(std::memory_order_relaxed); }

void Log(LogLevel level, absl::string_view text) {
  if (!LogEnabled(level)) return;
  const std::string line = FormatLogLine(level, absl::Now(), text);
  // A log that cannot be written must not stop the measuring.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string FormatLogLine(LogLevel level, absl::Time wall, absl::string_view text) {
  std::string line = absl::StrFormat(
      "%s %-7s ", absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", wall, absl::UTCTimeZone()),
      LevelName(level));
  AppendPrintable(text, &line);
  line.push_back('\n');
  return line;
}

std::string Quoted(absl::string_view text) {
  const bool cut = text.size() > kMaxQuotedBytes;
  return absl::StrCat("\"", absl::Utf8SafeCHexEscape(text.substr(0, kMaxQuotedBytes)), "\"",
                      cut ? "..." : "");
}

}  // namespace pmu::server
