// Intervals over hosts whose links and agents fail: nothing that an agent still
// holds is lost, what is lost is said, and nothing is left behind.
#include <signal.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/network.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

constexpr int kHosts = 3;

class IntervalFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<TestNetwork>> network = TestNetwork::Create(kHosts);
    if (!network.ok()) GTEST_SKIP() << network.status();
    network_ = *std::move(network);
    for (int i = 0; i < kHosts; ++i) agents_.push_back(StartAgent(i));
  }

  std::unique_ptr<Agent> StartAgent(int host) {
    AgentOptions options;
    options.wrapper = network_->Wrapper(host);
    options.listen = absl::StrCat(network_->Address(host), ":50051");
    options.options = {"--insecure"};
    return Agent::Start(options);
  }

  // Starts a run in intervals of 50 ms, and waits until the first are there.
  std::unique_ptr<Process> StartRun(const std::string& duration) {
    std::vector<std::string> command = network_->ControllerWrapper();
    for (const std::string& word :
         {PmuctlPath(), std::string("run"), std::string("--hosts"), std::string("10.77.0.[1-3]"),
          std::string("-e"), std::string("task-clock"), std::string("-I"), std::string("50ms"),
          std::string("--timeout"), std::string("5s"), std::string("-j"), std::string("--output"),
          Output(), std::string("--duration"), duration}) {
      command.push_back(word);
    }
    auto run = Process::Start(command);
    EXPECT_TRUE(WaitUntil([&] { return Lines().size() > 3; })) << run->Err();
    return run;
  }
  std::string Output() const { return absl::StrCat(scratch_.path(), "/lines.json"); }
  // Whole lines so far.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines = absl::StrSplit(ReadFile(Output()), '\n');
    lines.pop_back();
    return lines;
  }

  // What a run gave, interval by interval.
  struct Series {
    // Per host: interval -> count; nullopt-like -1 where it had none.
    std::map<std::string, std::map<int, int64_t>> counts;
    std::map<std::string, int> told_late;
    nlohmann::json result;  // the last line
    int last = 0;
  };
  Series Read() const {
    Series series;
    for (const std::string& line : Lines()) {
      const nlohmann::json json = nlohmann::json::parse(line);
      if (json.at("schema") == "pmu.run/1") {
        series.result = json;
        continue;
      }
      const int number = json.at("interval");
      series.last = std::max(series.last, number);
      for (const nlohmann::json& host : json.at("events")[0].at("hosts")) {
        const std::string name = host.at("host");
        if (host.at("count").is_null()) continue;
        EXPECT_EQ(series.counts[name].count(number), 0u) << name << " twice in " << number;
        series.counts[name][number] = Integer(host.at("count"));
        if (json.at("late") == true) ++series.told_late[name];
      }
    }
    EXPECT_FALSE(series.result.is_null()) << "no result at the end";
    return series;
  }

  // Every interval has a number of this host, and together they are its result.
  void ExpectNothingLost(const Series& series, const std::string& host) {
    const std::map<int, int64_t>& counts = series.counts.at(host);
    EXPECT_EQ(counts.size(), static_cast<size_t>(series.last)) << host;
    int64_t sum = 0;
    for (const auto& [number, count] : counts) sum += count;
    EXPECT_EQ(TotalOf(series, host), sum) << host;
  }
  // What the whole run gave for a host.
  static int64_t TotalOf(const Series& series, const std::string& host) {
    for (const nlohmann::json& cell : series.result.at("events")[0].at("hosts")) {
      if (cell.at("host") == host) return Integer(cell.at("count"));
    }
    return -1;
  }
  void ExpectNothingLeft() {
    for (const auto& agent : agents_) {
      EXPECT_TRUE(WaitUntil([&] { return agent->OpenCounters() == 0; })) << agent->host();
    }
  }

  ScratchDirectory scratch_;
  std::unique_ptr<TestNetwork> network_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

TEST_F(IntervalFaultTest, APartitionShorterThanTheRingLosesNothing) {
  const auto run = StartRun("5s");
  network_->Cut(1);
  const size_t before = Lines().size();
  // Long enough that the others do not wait for it.
  EXPECT_TRUE(WaitUntil([&] { return Lines().size() > before + 20; }));
  network_->Mend(1);

  const Finished done = run->Wait();

  EXPECT_EQ(done.status, 0) << done.err;
  const Series series = Read();
  EXPECT_EQ(series.last, 100);
  for (int i = 0; i < kHosts; ++i) ExpectNothingLost(series, network_->Address(i));
  EXPECT_GT(series.told_late.at(network_->Address(1)), 0);
  ExpectNothingLeft();
}

TEST_F(IntervalFaultTest, ABrokenConnectionIsTakenUpAtTheNextNumber) {
  const auto run = StartRun("4s");
  network_->Reset(2);
  const size_t before = Lines().size();
  EXPECT_TRUE(WaitUntil([&] { return Lines().size() > before + 15; }));
  network_->Accept(2);

  const Finished done = run->Wait();

  EXPECT_EQ(done.status, 0) << done.err;
  const Series series = Read();
  for (int i = 0; i < kHosts; ++i) ExpectNothingLost(series, network_->Address(i));
  ExpectNothingLeft();
}

TEST_F(IntervalFaultTest, AnAgentThatIsKilledAndStartedAgainIsLostAndTheRestGoesOn) {
  const auto run = StartRun("3s");
  agents_[0]->process().Signal(SIGKILL);
  agents_[0]->process().Wait();
  agents_[0] = StartAgent(0);

  const Finished done = run->Wait();

  EXPECT_EQ(done.status, 122) << done.err;
  const Series series = Read();
  EXPECT_EQ(series.last, 60);
  ExpectNothingLost(series, network_->Address(1));
  ExpectNothingLost(series, network_->Address(2));
  EXPECT_LT(series.counts.at(network_->Address(0)).size(), 60u);
  EXPECT_EQ(series.result.at("hosts")[0].at("status").at("message"),
            "the agent was restarted during the measurement");
  ExpectNothingLeft();
}

TEST_F(IntervalFaultTest, AnAgentThatIsHeldUpSaysWhatItMissed) {
  const auto run = StartRun("6s");
  agents_[1]->process().Signal(SIGSTOP);
  const size_t before = Lines().size();
  EXPECT_TRUE(WaitUntil([&] { return Lines().size() > before + 10; }));
  agents_[1]->process().Signal(SIGCONT);

  const Finished done = run->Wait();

  EXPECT_EQ(done.status, 0) << done.err;
  const Series series = Read();
  const std::map<int, int64_t>& counts = series.counts.at(network_->Address(1));
  EXPECT_LT(counts.size(), 120u);  // numbers it missed are not made up ...
  int64_t sum = 0;
  for (const auto& [number, count] : counts) sum += count;
  // ... and what was counted then is in the next one.
  EXPECT_EQ(TotalOf(series, network_->Address(1)), sum);
  EXPECT_NE(ReadFile(Output()).find("the agent was held up and missed"), std::string::npos);
  ExpectNothingLeft();
}

}  // namespace
}  // namespace pmu::integration
