#include "server/log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

TEST(LogTest, LinesHaveTimeAndLevel) {
  const absl::Time time = absl::FromUnixMillis(1'770'091'506'789);

  EXPECT_EQ(FormatLogLine(LogLevel::kInfo, time, "hello"),
            "2026-02-03T04:05:06.789Z info    hello\n");
  EXPECT_EQ(FormatLogLine(LogLevel::kWarning, time, "x"), "2026-02-03T04:05:06.789Z warning x\n");
}

TEST(LogTest, ALineStaysOneLine) {
  const std::string line = FormatLogLine(LogLevel::kInfo, absl::UnixEpoch(), "a\nb\r\x1b[31m\x7f");

  EXPECT_THAT(line, ::testing::EndsWith("a\\x0ab\\x0d\\x1b[31m\\x7f\n"));
}

TEST(LogTest, QuotedTextCannotLeaveItsQuotes) {
  EXPECT_EQ(Quoted("a\" b\n\\"), "\"a\\\" b\\n\\\\\"");
  EXPECT_EQ(Quoted("µs"), "\"µs\"");
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted(std::string(1000, 'x')), "\"" + std::string(200, 'x') + "\"...");
}

TEST(LogTest, ParsesLevels) {
  EXPECT_EQ(ParseLogLevel("debug").value(), LogLevel::kDebug);
  EXPECT_EQ(ParseLogLevel("error").value(), LogLevel::kError);
  EXPECT_EQ(ParseLogLevel("Info").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseLogLevel("").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace pmu::server
