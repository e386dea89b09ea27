#include "client/cli/exit_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmu::cli {
namespace {

TEST(ExitStatusTest, WithoutACommandTheMeasurementDecides) {
  EXPECT_EQ(ExitStatusOf({}), 0);
  EXPECT_EQ(ExitStatusOf({.complete = false}), 122);
  EXPECT_EQ(ExitStatusOf({.enough = false, .complete = false}), 123);
  EXPECT_EQ(ExitStatusOf({.complete = false, .strict = true}), 123);
  EXPECT_EQ(ExitStatusOf({.strict = true}), 0);
  EXPECT_EQ(ExitStatusOf({.interrupted_by = 2}), 130);
  EXPECT_EQ(ExitStatusOf({.interrupted_by = 2, .complete = false}), 130);
  EXPECT_EQ(ExitStatusOf({.interrupted_by = 2, .enough = false, .complete = false}), 123);
}

TEST(ExitStatusTest, ACommandThatFailedComesFirst) {
  EXPECT_EQ(ExitStatusOf({.command_status = 43}), 43);
  EXPECT_EQ(ExitStatusOf({.command_status = 139, .complete = false}), 139);
  EXPECT_EQ(ExitStatusOf({.command_status = 1, .enough = false, .complete = false}), 1);
  EXPECT_EQ(ExitStatusOf({.command_status = 0, .complete = false}), 122);
  EXPECT_EQ(ExitStatusOf({.command_status = 0, .interrupted_by = 15}), 143);
  EXPECT_EQ(ExitStatusOf({.command_status = 0}), 0);
}

TEST(ExitStatusTest, AnswersOfHosts) {
  EXPECT_EQ(ExitStatusOfAnswers(3, 3), 0);
  EXPECT_EQ(ExitStatusOfAnswers(2, 3), 122);
  EXPECT_EQ(ExitStatusOfAnswers(0, 3), 123);
}

TEST(ExitStatusTest, HelpNamesEveryStatus) {
  for (const char* status : {"0 ", "122", "123", "125", "126", "127", "128+N"}) {
    EXPECT_THAT(ExitStatusHelp(), testing::HasSubstr(std::string("\n  ") + status));
  }
}

}  // namespace
}  // namespace pmu::cli
