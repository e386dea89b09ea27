#include "client/cli/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pmu::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(const std::vector<std::string>& args) {
  const auto options = ParseRunOptions(args);
  return options.ok() ? "" : std::string(options.status().message());
}

TEST(RunOptionsTest, Defaults) {
  const auto options = ParseRunOptions({"-e", "cycles"});

  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->duration, absl::ZeroDuration());
  EXPECT_EQ(options->format, Format::kTable);
  EXPECT_EQ(options->min_hosts, 1);
  EXPECT_THAT(options->command, IsEmpty());
}

TEST(RunOptionsTest, SeveralEventsAreJoined) {
  const auto options = ParseRunOptions({"-e", "cycles", "--event", "{a,b}:u"});

  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->EventText(), "cycles,{a,b}:u");
}

TEST(RunOptionsTest, OptionsOfTheCommandAreItsOwn) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"-e", "x", "--", "printf", "%s", "--interval", "-j"},
        std::vector<std::string>{"-e", "x", "printf", "%s", "--interval", "-j"}}) {
    const auto options = ParseRunOptions(args);
    ASSERT_TRUE(options.ok()) << options.status();
    EXPECT_THAT(options->command, ElementsAre("printf", "%s", "--interval", "-j"));
    EXPECT_EQ(options->format, Format::kTable);
  }
}

TEST(RunOptionsTest, FormatsAndSeparators) {
  EXPECT_EQ(ParseRunOptions({"-e", "x", "-j"})->format, Format::kJson);
  EXPECT_EQ(ParseRunOptions({"-e", "x", "--csv"})->format, Format::kCsv);
  const auto tab = ParseRunOptions({"-e", "x", "-x", "tab"});
  EXPECT_EQ(tab->format, Format::kCsv);
  EXPECT_EQ(tab->separator, '\t');
  EXPECT_THAT(ErrorOf({"-e", "x", "-x", "ab"}), HasSubstr("--separator"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-j", "--csv"}), HasSubstr("not both"));
}

TEST(RunOptionsTest, ContradictionsAreRefused) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("give -e EVENTS"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-d", "1s", "--", "true"}), HasSubstr("not both"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-p", "1", "-G", "a"}), HasSubstr("--pid or --cgroup"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-p", "1", "-C", "0"}), HasSubstr("--cpu"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-C", "0-"}), HasSubstr("--cpu"));
  EXPECT_THAT(ErrorOf({"-e", "x", "--dry-run", "true"}), HasSubstr("--dry-run"));
  EXPECT_THAT(ErrorOf({"-e", "x", "--dry-run", "--csv"}), HasSubstr("--dry-run"));
  EXPECT_THAT(ErrorOf({"-e", "x", "--label", "novalue"}), HasSubstr("--label"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-d", "5"}), HasSubstr("--duration"));
  EXPECT_THAT(ErrorOf({"-e", "x", "-d", "-5s"}), HasSubstr("--duration"));
  EXPECT_THAT(ErrorOf({"-e", "x", "--min-hosts", "0"}), HasSubstr("--min-hosts"));
  EXPECT_THAT(ErrorOf({"-e", "x", "--pid", "-1"}), HasSubstr("--pid"));
}

TEST(RunOptionsTest, LabelsKeepEverythingAfterTheFirstSign) {
  const auto options = ParseRunOptions({"-e", "x", "--label", "a=b=c", "--label", "d="});

  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->labels.at("a"), "b=c");
  EXPECT_EQ(options->labels.at("d"), "");
}

TEST(RunOptionsTest, HelpFits80Columns) {
  size_t longest = 0;
  size_t length = 0;
  for (const char c : RunHelp()) {
    length = c == '\n' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  EXPECT_LE(longest, 80u);
}

}  // namespace
}  // namespace pmu::cli
