// Hosts with addresses of their own; links that fail; clocks that differ.
#include <signal.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/network.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

constexpr int kHosts = 4;

class NetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<TestNetwork>> network = TestNetwork::Create(kHosts);
    if (!network.ok()) GTEST_SKIP() << network.status();
    network_ = *std::move(network);
    for (int i = 0; i < kHosts; ++i) {
      AgentOptions options;
      options.wrapper = network_->Wrapper(i);
      options.listen = absl::StrCat(network_->Address(i), ":50051");
      options.options = {"--insecure"};
      agents_.push_back(Agent::Start(options));
      ASSERT_NE(agents_.back(), nullptr);
    }
  }

  // Starts a run over all hosts, and waits until it counts.
  std::unique_ptr<Process> StartRun(const std::string& seconds) {
    std::vector<std::string> command = network_->ControllerWrapper();
    const std::string mark = absl::StrCat(scratch_.path(), "/mark");
    for (const std::string& word :
         {PmuctlPath(), std::string("run"), std::string("--hosts"), std::string("10.77.0.[1-4]"),
          std::string("-e"), std::string("task-clock"), std::string("--timeout"), std::string("2s"),
          std::string("-j"), std::string("--output"), Output(), std::string("--"),
          std::string("sh"), std::string("-c"),
          absl::StrCat("echo x > ", mark, "; sleep ", seconds)}) {
      command.push_back(word);
    }
    auto run = Process::Start(command);
    EXPECT_TRUE(WaitUntil([&] { return !ReadFile(mark).empty(); })) << run->Err();
    return run;
  }
  std::string Output() const { return absl::StrCat(scratch_.path(), "/result.json"); }
  RunResult Result(Finished done) const {
    done.out = ReadFile(Output());
    return RunResult(done);
  }

  ScratchDirectory scratch_;
  std::unique_ptr<TestNetwork> network_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

void ExpectHostLost(const RunResult& result, const std::string& lost) {
  const nlohmann::json& total = result.Row("task-clock").at("total");
  EXPECT_EQ(total.at("contributing_hosts"), kHosts - 1);
  EXPECT_EQ(total.at("expected_hosts"), kHosts);
  for (const nlohmann::json& host : result.json().at("hosts")) {
    EXPECT_EQ(host.at("status").at("code") == "OK", host.at("host") != lost) << host.dump(1);
  }
}

TEST_F(NetworkTest, HostCutOffInTheMiddleIsNamedAndTheOthersArePrinted) {
  const auto run = StartRun("2");
  network_->Cut(2);
  const Finished done = run->Wait();
  EXPECT_EQ(done.status, 122) << done.err;
  ExpectHostLost(Result(done), network_->Address(2));
}

TEST_F(NetworkTest, HostThatSilentlyDropsIsNamed) {
  const auto run = StartRun("2");
  network_->Drop(1);
  const Finished done = run->Wait();
  EXPECT_EQ(done.status, 122) << done.err;
  ExpectHostLost(Result(done), network_->Address(1));
}

TEST_F(NetworkTest, ShortGapLosesNothing) {
  const auto run = StartRun("3");
  network_->Cut(3);
  network_->Mend(3);
  const Finished done = run->Wait();
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(Result(done).Row("task-clock").at("total").at("contributing_hosts"), kHosts);
}

// The agent lives a hundred thousand seconds ahead of us: its true offset is
// known exactly.
TEST(TimeNamespaceTest, SynchronizationHoldsForAShiftedClock) {
  constexpr int64_t kShiftNs = 100'000'000'000'000;
  if (RunProcess({"unshare", "--time", "--monotonic", "100000", "--fork", "true"}).status != 0) {
    GTEST_SKIP() << "no time namespaces here (needs root)";
  }
  AgentOptions shifted;
  shifted.wrapper = {"unshare", "--time", "--monotonic", "100000", "--fork", "--kill-child"};
  const auto ahead = Agent::Start(shifted);
  const auto plain = Agent::Start();
  ASSERT_NE(ahead, nullptr);
  ASSERT_NE(plain, nullptr);

  const Finished done = Pmuctl({"run", "--hosts", absl::StrCat(plain->host(), ",", ahead->host()),
                                "-e", "task-clock", "--duration", "300ms", "-j"});

  EXPECT_EQ(done.status, 0) << done.err;
  const RunResult result(done);
  const nlohmann::json& clock = result.Host(ahead->host()).at("clock");
  EXPECT_LE(std::abs(Integer(clock.at("offset_ns")) - kShiftNs), Integer(clock.at("error_ns")));
  std::vector<int64_t> enabled = result.EnabledOnHostClock();
  ASSERT_EQ(enabled.size(), 2u);
  enabled[1] -= kShiftNs;
  EXPECT_LE(std::abs(SpreadOf(enabled) - result.StartSkewNs()), result.StartSkewErrorNs());
}

}  // namespace
}  // namespace pmu::integration
