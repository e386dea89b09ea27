// pmuctl around a command, and what it does when things go wrong.
#include <signal.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    agents_ = StartAgents(3);
    ASSERT_THAT(agents_, SizeIs(3));
  }

  std::vector<std::string> RunArguments(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"run", "--hosts", HostsOf(agents_), "-e", "task-clock"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Finished RunCommand(const std::vector<std::string>& more) const {
    return Pmuctl(RunArguments(more));
  }
  std::unique_ptr<Process> StartRun(const std::vector<std::string>& more) const {
    std::vector<std::string> command = RunArguments(more);
    command.insert(command.begin(), PmuctlPath());
    return Process::Start(command);
  }
  // A run is counting once its command has left this mark.
  bool WaitForMark() const {
    return WaitUntil([this] { return !ReadFile(Mark()).empty(); });
  }
  std::string Mark() const { return absl::StrCat(scratch_.path(), "/mark"); }
  std::string MarkAndSleep() const { return absl::StrCat("echo x > ", Mark(), "; sleep 1"); }

  std::vector<std::unique_ptr<Agent>> agents_;
  ScratchDirectory scratch_;
};

TEST_F(CommandTest, StatusOfTheCommandIsPassedOn) {
  EXPECT_EQ(RunCommand({"--", "true"}).status, 0);
  EXPECT_EQ(RunCommand({"--", "sh", "-c", "exit 43"}).status, 43);
  EXPECT_EQ(RunCommand({"--", "sh", "-c", "kill -11 $$"}).status, 139);
  EXPECT_EQ(RunCommand({"--", "/nonexistent"}).status, 127);
  EXPECT_EQ(RunCommand({"--", "/etc/passwd"}).status, 126);
}

TEST_F(CommandTest, OptionsOfTheCommandAreItsOwn) {
  const Finished done = RunCommand({"--", "printf", "%s\n", "--duration", "5"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("--duration\n5\n"));
}

TEST_F(CommandTest, InterruptedRunPrintsWhatWasMeasured) {
  const auto run = StartRun({"-j", "--output", scratch_.path() + "/r.json", "--", "sh", "-c",
                             absl::StrCat("echo x > ", Mark(), "; exec sleep 30")});
  ASSERT_TRUE(WaitForMark());
  run->Signal(SIGINT);
  Finished done = run->Wait();
  done.out = ReadFile(scratch_.path() + "/r.json");
  const RunResult result(done);
  EXPECT_EQ(result.json().at("interrupted"), true);
  EXPECT_EQ(result.Row("task-clock").at("total").at("contributing_hosts"), 3);
}

TEST_F(CommandTest, InterruptEndsARunWithoutCommandToo) {
  const auto run = StartRun({"--duration", "60s", "--output", scratch_.path() + "/table"});
  const auto counting = [this] {
    // The agents log the session's start.
    return agents_[0]->process().Err().find("task-clock") != std::string::npos;
  };
  ASSERT_TRUE(WaitUntil(counting)) << agents_[0]->process().Err();
  run->Signal(SIGINT);
  EXPECT_EQ(run->Wait().status, 130);
}

TEST_F(CommandTest, KilledAgentIsNamedAndTheOthersAreKept) {
  const auto run = StartRun({"-j", "--output", scratch_.path() + "/r.json", "--timeout", "2s", "--",
                             "sh", "-c", MarkAndSleep()});
  ASSERT_TRUE(WaitForMark());
  const std::string lost = agents_[1]->host();
  agents_[1]->process().Signal(SIGKILL);
  Finished done = run->Wait();
  EXPECT_EQ(done.status, 122) << done.err;
  done.out = ReadFile(scratch_.path() + "/r.json");
  const RunResult result(done);
  EXPECT_EQ(result.json().at("complete"), false);
  const nlohmann::json& total = result.Row("task-clock").at("total");
  EXPECT_EQ(total.at("contributing_hosts"), 2);
  EXPECT_EQ(total.at("expected_hosts"), 3);
  EXPECT_NE(result.Host(lost).at("status").at("code"), "OK");
}

TEST_F(CommandTest, StoppedAgentDoesNotHoldUpTheOthers) {
  const auto run = StartRun({"--timeout", "1s", "--", "sh", "-c", MarkAndSleep()});
  ASSERT_TRUE(WaitForMark());
  const std::string stopped = agents_[2]->host();
  agents_[2]->process().Signal(SIGSTOP);
  const Finished done = run->Wait(absl::Seconds(30));
  agents_[2]->process().Signal(SIGCONT);
  EXPECT_EQ(done.status, 122) << done.err;
  EXPECT_THAT(done.out + done.err, HasSubstr(stopped));
  EXPECT_THAT(done.out + done.err, HasSubstr("2 of 3"));
}

TEST_F(CommandTest, RefusedHostIsNamed) {
  const Finished done = Pmuctl({"run", "--hosts", HostsOf(agents_) + ",127.0.0.1:1", "-e",
                                "task-clock", "--duration", "100ms"});
  EXPECT_EQ(done.status, 122);
  EXPECT_THAT(done.out + done.err, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(done.out + done.err, HasSubstr("refused"));
}

TEST_F(CommandTest, CommandDoesNotStartWithoutEnoughHosts) {
  const Finished done = Pmuctl({"run", "--hosts", HostsOf(agents_) + ",127.0.0.1:1", "-e",
                                "task-clock", "--min-hosts", "4", "--", "echo", "started"});
  EXPECT_EQ(done.status, 123);
  EXPECT_THAT(done.out, Not(HasSubstr("started")));
  EXPECT_EQ(RunCommand({"--strict", "--", "true"}).status, 0);
}

TEST_F(CommandTest, NobodyThere) {
  const Finished done =
      Pmuctl({"run", "--hosts", "127.0.0.1:1", "-e", "task-clock", "--duration", "1s"});
  EXPECT_EQ(done.status, 123);
  EXPECT_THAT(done.err, HasSubstr("127.0.0.1:1"));
}

TEST_F(CommandTest, ProxyVariablesDoNotHijackHosts) {
  const Finished done = Pmuctl(
      {"hosts", "--hosts", HostsOf(agents_)},
      {"env", "http_proxy=http://192.0.2.1:9", "grpc_proxy=http://192.0.2.1:9", "no_proxy="});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
}

TEST_F(CommandTest, AgentOnATakenPortFailsPlainly) {
  const Finished done = RunProcess(
      {PmudPath(), "--listen=" + agents_[0]->host(), "--state-dir=" + scratch_.path() + "/state"});
  EXPECT_NE(done.status, 0);
  EXPECT_THAT(done.err, HasSubstr("in use"));
}

}  // namespace
}  // namespace pmu::integration
