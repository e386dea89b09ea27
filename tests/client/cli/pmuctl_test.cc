// pmuctl as a whole: subcommands, help, version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/commands.h"
#include "tests/client/cli/captured_environment.h"

namespace pmu::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PmuctlTest, HelpIsOnTheStandardOutputAndNamesEverySubcommand) {
  for (const char* word : {"help", "--help", "-h"}) {
    CapturedEnvironment captured;
    EXPECT_EQ(PmuctlMain({word}, captured.environment()), 0);
    for (const char* name : {"run", "list", "hosts"}) EXPECT_THAT(captured.out(), HasSubstr(name));
    EXPECT_THAT(captured.err(), IsEmpty());
  }
}

TEST(PmuctlTest, EverySubcommandHasHelpWithExamples) {
  for (const char* name : {"run", "list", "hosts"}) {
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{name, "--help"}, std::vector<std::string>{"help", name}}) {
      CapturedEnvironment captured;
      EXPECT_EQ(PmuctlMain(args, captured.environment()), 0);
      EXPECT_THAT(captured.out(), HasSubstr(std::string("usage: pmuctl ") + name));
      EXPECT_THAT(captured.out(), HasSubstr("Examples:"));
      EXPECT_THAT(captured.out(), HasSubstr("Exit status"));
    }
  }
}

TEST(PmuctlTest, AMistypedSubcommandIsGuessed) {
  CapturedEnvironment captured;
  EXPECT_EQ(PmuctlMain({"hsots"}, captured.environment()), 125);
  EXPECT_THAT(captured.err(), HasSubstr("did you mean \"hosts\"?"));
}

TEST(PmuctlTest, NothingLikeItIsNotGuessed) {
  CapturedEnvironment captured;
  EXPECT_EQ(PmuctlMain({"frobnicate"}, captured.environment()), 125);
  EXPECT_THAT(captured.err(), Not(HasSubstr("did you mean")));
}

TEST(PmuctlTest, NoSubcommandIsAMistake) {
  CapturedEnvironment captured;
  EXPECT_EQ(PmuctlMain({}, captured.environment()), 125);
  EXPECT_THAT(captured.out(), IsEmpty());
  EXPECT_THAT(captured.err(), HasSubstr("usage:"));
}

TEST(PmuctlTest, Version) {
  CapturedEnvironment captured;
  EXPECT_EQ(PmuctlMain({"--version"}, captured.environment()), 0);
  EXPECT_THAT(captured.out(), testing::MatchesRegex("pmuctl [0-9]+[.][0-9]+[.][0-9]+\n"));
}

TEST(CaretTest, PointsAtThePosition) {
  EXPECT_EQ(CaretLines("event list, position 3: bad", "abcd"), "\n  abcd\n    ^");
  EXPECT_EQ(CaretLines("position 1: bad", "abcd"), "\n  abcd\n  ^");
  EXPECT_EQ(CaretLines("position 5: ends early", "abcd"), "\n  abcd\n      ^");
}

TEST(CaretTest, LongTextIsCutAroundIt) {
  const std::string text(1000, 'x');
  EXPECT_EQ(CaretLines("position 500: bad", text),
            "\n  ..." + std::string(76, 'x') + "...\n     " + std::string(50, ' ') + "^");
}

TEST(CaretTest, NoPositionNoCaret) {
  EXPECT_EQ(CaretLines("something is wrong", "abcd"), "");
  EXPECT_EQ(CaretLines("position 99: bad", "abcd"), "");
  EXPECT_EQ(CaretLines("hosts.txt line 3, position 1: bad", "@hosts.txt"), "");
}

}  // namespace
}  // namespace pmu::cli
