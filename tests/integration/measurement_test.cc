// One measurement over real agents and real sockets: numbers and timing.
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "common/cpu_list.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::SizeIs;

int OnlineCpus() {
  return static_cast<int>(ParseCpuList(ReadFile("/sys/devices/system/cpu/online"))->size());
}

TEST(MeasurementTest, TaskClockIsTimeTimesCpus) {
  const auto agents = StartAgents(2);
  ASSERT_THAT(agents, SizeIs(2));
  const Finished done =
      Pmuctl({"run", "--hosts", HostsOf(agents), "-e", "task-clock", "--duration", "2s", "-j"});
  EXPECT_EQ(done.status, 0) << done.err;
  const RunResult result(done);
  for (const nlohmann::json& cell : result.Row("task-clock").at("hosts")) {
    const double measured =
        static_cast<double>(Integer(result.Host(cell.at("host")).at("measured_ns")));
    EXPECT_NEAR(static_cast<double>(Integer(cell.at("count"))) / measured, OnlineCpus(),
                0.01 * OnlineCpus());
  }
  EXPECT_EQ(result.Row("task-clock").at("total").at("contributing_hosts"), 2);
}

// All agents share our clock, so the truth is known.
TEST(MeasurementTest, PrintedSkewAgreesWithTheTrueOne) {
  const auto agents = StartAgents(8);
  ASSERT_THAT(agents, SizeIs(8));
  for (int round = 0; round < 5; ++round) {
    const Finished done = Pmuctl({"run", "--hosts", HostsOf(agents), "-e", "task-clock,page-faults",
                                  "--duration", "50ms", "-j"});
    ASSERT_EQ(done.status, 0) << done.err;
    const RunResult result(done);
    EXPECT_THAT(result.EnabledOnHostClock(), SizeIs(8));
    const int64_t true_skew = SpreadOf(result.EnabledOnHostClock());
    EXPECT_LE(std::abs(true_skew - result.StartSkewNs()), result.StartSkewErrorNs())
        << "true " << true_skew << " printed " << result.StartSkewNs();
  }
}

TEST(MeasurementTest, TwoUsersAtOnceEachGetTheirCounts) {
  const auto agents = StartAgents(2);
  ASSERT_THAT(agents, SizeIs(2));
  const std::vector<std::string> command = {PmuctlPath(),    "run", "--hosts",
                                            HostsOf(agents), "-e",  "task-clock",
                                            "--duration",    "1s",  "-j"};
  const auto first = Process::Start(command);
  const auto second = Process::Start(command);
  for (Process* process : {first.get(), second.get()}) {
    const Finished done = process->Wait();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(RunResult(done).Row("task-clock").at("total").at("contributing_hosts"), 2);
  }
}

TEST(MeasurementTest, UnsupportedEventIsARowAndTheOthersCount) {
  const auto agents = StartAgents(1);
  ASSERT_THAT(agents, SizeIs(1));
  const Finished done = Pmuctl({"run", "--hosts", HostsOf(agents), "-e", "task-clock,no-such-event",
                                "--duration", "100ms", "-j"});
  EXPECT_EQ(done.status, 122) << done.err;
  const RunResult result(done);
  EXPECT_EQ(result.Row("task-clock").at("total").at("state"), "counted");
  const nlohmann::json& cell = result.Row("no-such-event").at("hosts").at(0);
  EXPECT_EQ(cell.at("state"), "not_supported");
  EXPECT_TRUE(cell.at("value").is_null());
  EXPECT_THAT(cell.at("reason").get<std::string>(), HasSubstr("no-such-event"));
}

TEST(MeasurementTest, MalformedEventsAreRefusedBeforeAnythingIsSent) {
  const auto agents = StartAgents(1);
  ASSERT_THAT(agents, SizeIs(1));
  const Finished done =
      Pmuctl({"run", "--hosts", HostsOf(agents), "-e", "{task-clock", "--duration", "100ms"});
  EXPECT_EQ(done.status, 125);
  EXPECT_THAT(done.err, HasSubstr("position"));
  EXPECT_EQ(Pmuctl({"hosts", "--hosts", HostsOf(agents)}).status, 0);
}

TEST(MeasurementTest, OutputIsTheSameUnderACommaLocale) {
  const auto agents = StartAgents(1);
  ASSERT_THAT(agents, SizeIs(1));
  const std::vector<std::string> german = {"env", "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"};
  const Finished done = Pmuctl(
      {"run", "--hosts", HostsOf(agents), "-e", "task-clock", "--duration", "100ms", "--csv"},
      german);
  EXPECT_EQ(done.status, 0) << done.err;
  const size_t columns = std::count(done.out.begin(), done.out.begin() + done.out.find('\n'), ',');
  size_t begin = 0;
  while (begin < done.out.size()) {
    const size_t end = done.out.find('\n', begin);
    EXPECT_EQ(std::count(done.out.begin() + begin, done.out.begin() + end, ','), columns)
        << done.out;
    begin = end + 1;
  }
}

TEST(MeasurementTest, DryRunShowsTheEncodingAndOpensNothing) {
  const auto agents = StartAgents(2);
  ASSERT_THAT(agents, SizeIs(2));
  const Finished done =
      Pmuctl({"run", "--hosts", HostsOf(agents), "-e", "task-clock:u", "--dry-run"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, ContainsRegex("task-clock:u +perf_event +1 +0x1 +0x0 +0x0 +kernel,hv"));
  EXPECT_THAT(done.out, HasSubstr("the same on all 2 hosts"));
  EXPECT_EQ(agents[0]->process().Err().find("session"), std::string::npos);
}

// Two names of the list may be one agent: each has a session of its own there.
TEST(MeasurementTest, OneAgentUnderTwoNames) {
  const auto agent = Agent::Start();
  ASSERT_NE(agent, nullptr);
  const std::string other_name = absl::StrCat("localhost:", agent->port());

  const Finished done = Pmuctl({"run", "--hosts", absl::StrCat(agent->host(), ",", other_name),
                                "-e", "task-clock", "--duration", "100ms", "-j"});

  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(RunResult(done).Row("task-clock").at("total").at("contributing_hosts"), 2);
}

}  // namespace
}  // namespace pmu::integration
