#include "client/cli/child_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pmu::cli {
namespace {

std::unique_ptr<ChildCommand> Prepared(std::vector<std::string> argv) {
  sigset_t mask;
  sigemptyset(&mask);
  auto child = ChildCommand::Prepare(std::move(argv), mask);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

int StatusOf(std::vector<std::string> argv) {
  const auto child = Prepared(std::move(argv));
  EXPECT_TRUE(child->Start().ok());
  return child->Wait();
}

std::string Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ChildCommandTest, PassesTheExitStatusOn) {
  EXPECT_EQ(StatusOf({"true"}), 0);
  EXPECT_EQ(StatusOf({"sh", "-c", "exit 43"}), 43);
}

TEST(ChildCommandTest, ASignalIs128AndItsNumber) {
  EXPECT_EQ(StatusOf({"sh", "-c", "kill -11 $$"}), 139);
  EXPECT_EQ(StatusOf({"sh", "-c", "kill -KILL $$"}), 137);
}

TEST(ChildCommandTest, WhatDoesNotExistIsNotFound) {
  const auto child = Prepared({"/nonexistent/command"});

  const absl::Status status = child->Start();

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("/nonexistent/command"));
  EXPECT_EQ(child->Wait(), 127);
}

TEST(ChildCommandTest, WhatIsNoProgramCannotBeExecuted) {
  const auto child = Prepared({"/etc/passwd"});

  EXPECT_EQ(child->Start().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ChildCommandTest, ArgumentsArriveUntouched) {
  const std::string path = testing::TempDir() + "arguments";

  EXPECT_EQ(StatusOf({"sh", "-c", "printf '%s|' \"$@\" > " + path, "sh", "--interval", "5", "a b",
                      "", "*"}),
            0);

  EXPECT_EQ(Contents(path), "--interval|5|a b||*|");
}

TEST(ChildCommandTest, UnstartedItRunsNothing) {
  const std::string path = testing::TempDir() + "must_not_exist";

  Prepared({"touch", path}).reset();

  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ChildCommandTest, SignalsAreHandedOn) {
  const auto child = Prepared({"sleep", "1000"});
  ASSERT_TRUE(child->Start().ok());

  child->Signal(SIGTERM);

  EXPECT_EQ(child->Wait(), 128 + SIGTERM);
}

TEST(ChildCommandTest, TheCommandGetsTheMaskOfBefore) {
  sigset_t before;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  auto child = ChildCommand::Prepare({"sleep", "1000"}, before);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE((*child)->Start().ok());
  sigprocmask(SIG_SETMASK, &before, nullptr);

  (*child)->Signal(SIGTERM);

  EXPECT_EQ((*child)->Wait(), 128 + SIGTERM);
}

TEST(ChildCommandTest, NoDescriptorOfOursReachesTheCommand) {
  const std::string path = testing::TempDir() + "descriptors";

  // ls itself opens one to read the folder.
  EXPECT_EQ(StatusOf({"sh", "-c", "ls -l /proc/self/fd > " + path}), 0);

  EXPECT_THAT(Contents(path), testing::Not(testing::HasSubstr("socket:")));
}

}  // namespace
}  // namespace pmu::cli
