// The worked example of the CCI-400's manual (Arm DDI 0470, 2.4.3) through the
// whole stack: pmuctl, the agent, its backend, and a simulated interconnect
// whose rates are known.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kEvents[] =
    "{cci400/source=3,event=0x3/,cci400/source=3,event=0xa/,"
    "cci400/source=4,event=0x3/,cci400/source=4,event=0xa/,cci400/cycles/}";
// Events per second of the four events, and the interconnect's clock.
constexpr double kRates[] = {40e6, 30e6, 20e6, 5e6};
constexpr double kClockHz = 500e6;
constexpr char kModel[] = "cycles=500M,event.0x63=40M,event.0x6a=30M,event.0x83=20M,event.0x8a=5M";

class Cci400ExampleTest : public ::testing::Test {
 protected:
  // `more`: keys of the simulated device.
  RunResult Run(const std::string& more, const std::string& events) {
    AgentOptions options;
    options.options = {absl::StrCat("--simulate=cci400-r1:", kModel, more), "--log-level=debug"};
    agent_ = Agent::Start(options);
    EXPECT_NE(agent_, nullptr);
    const Finished done = Pmuctl({"run", "--hosts", agent_->host(), "-e", events, "-M",
                                  "cci-snoop-hit-rate", "--duration", "300ms", "-j"});
    EXPECT_EQ(done.status, 0) << done.err;
    return RunResult(done);
  }

  // The register writes up to the one that stops the counters.
  std::vector<std::string> Writes() {
    std::vector<std::string> writes;
    for (const absl::string_view line : absl::StrSplit(agent_->process().Err(), '\n')) {
      const size_t at = line.find("cci400: write ");
      if (at == absl::string_view::npos) continue;
      writes.emplace_back(line.substr(at + 14));
      if (writes.back() == "0x100 = 0x2000" && writes.size() > 10) break;
    }
    return writes;
  }

  std::unique_ptr<Agent> agent_;
};

// All counters start with one write and stop with one: what they show is that
// many cycles of the model, to the unit.
void ExpectModelsCounts(const RunResult& result) {
  std::vector<double> counts;
  for (const nlohmann::json& row : result.json().at("events")) {
    EXPECT_EQ(row.at("simulated"), true);
    EXPECT_EQ(row.at("total").at("state"), "counted");
    counts.push_back(static_cast<double>(Integer(row.at("total").at("count"))));
  }
  ASSERT_THAT(counts, SizeIs(5));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(counts[i], counts[4] * kRates[i] / kClockHz, 1.01);
  const nlohmann::json& metrics = result.json().at("metrics");
  ASSERT_THAT(metrics, SizeIs(2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(metrics[i].at("metric"), absl::StrCat("cci-snoop-hit-rate-S", 3 + i));
    EXPECT_DOUBLE_EQ(metrics[i].at("hosts")[0].at("value").get<double>(),
                     100 * counts[2 * i + 1] / counts[2 * i]);
  }
}

TEST_F(Cci400ExampleTest, WritesTheManualsSequenceAndCountsWhatTheModelHas) {
  const RunResult result = Run("", kEvents);

  ExpectModelsCounts(result);
  EXPECT_THAT(Writes(),
              ElementsAre("0xa000 = 0x63", "0xb000 = 0x6a", "0xc000 = 0x83", "0xd000 = 0x8a",
                          "0xa008 = 0x1", "0xb008 = 0x1", "0xc008 = 0x1", "0xd008 = 0x1",
                          "0x9008 = 0x1",                      // the cycle counter, too
                          "0x100 = 0x2006", "0x100 = 0x2001",  // reset, start
                          "0x100 = 0x2000"));                  // stop
}

TEST_F(Cci400ExampleTest, OverflowsAreAdjusted) {
  // Every counter wraps within the first milliseconds.
  ExpectModelsCounts(Run(",start=0xfffff000", kEvents));
}

TEST_F(Cci400ExampleTest, NamesAreTheSameEvents) {
  ExpectModelsCounts(Run("",
                         "{cci400/si_rrq_hs_inner_or_outershareable,source=S3/,"
                         "cci400/si_r_data_last_hs_snoop,source=3/,cci400/config=0x83/,"
                         "cci400/event=0xa,source=S4/,cci400/event=0xff/}"));
}

TEST_F(Cci400ExampleTest, EndsAfterANumberOfCycles) {
  AgentOptions options;
  options.options = {"--simulate=cci400-r1:cycles=500M"};
  agent_ = Agent::Start(options);
  ASSERT_NE(agent_, nullptr);

  const Finished done = Pmuctl(
      {"run", "--hosts", agent_->host(), "-e", "cci400/cycles/", "--cycles", "100000000", "-j"});

  EXPECT_EQ(done.status, 0) << done.err;
  const int64_t cycles = Integer(RunResult(done).Row("cci400/cycles/").at("total").at("count"));
  EXPECT_GE(cycles, 100'000'000);
}

// Each host ends by itself, and both are collected.
TEST_F(Cci400ExampleTest, HostsOfDifferentClocksEndAtTheSameNumberOfCycles) {
  AgentOptions fast;
  fast.options = {"--simulate=cci400-r0:cycles=500M"};
  AgentOptions slow;
  slow.options = {"--simulate=cci400-r1:cycles=250M"};
  const auto first = Agent::Start(fast);
  const auto second = Agent::Start(slow);
  ASSERT_TRUE(first != nullptr && second != nullptr);

  const Finished done = Pmuctl({"run", "--hosts", absl::StrCat(first->host(), ",", second->host()),
                                "-e", "cci400/cycles/", "--cycles", "50000000", "-j"});

  EXPECT_EQ(done.status, 0) << done.err;
  const RunResult result(done);
  for (const nlohmann::json& host : result.Row("cci400/cycles/").at("hosts")) {
    EXPECT_GE(Integer(host.at("count")), 50'000'000);
  }
}

constexpr char kFiveEvents[] =
    "cci400/source=0,event=0x3/,cci400/source=1,event=0x3/,cci400/source=2,event=0x3/,"
    "cci400/source=3,event=0x3/,cci400/source=4,event=0x3/,cci400/cycles/";

TEST_F(Cci400ExampleTest, AFifthEventIsRefusedOrSharesWhenAsked) {
  AgentOptions options;
  options.options = {"--simulate=cci400-r0:rate=10M"};
  agent_ = Agent::Start(options);
  ASSERT_NE(agent_, nullptr);
  std::vector<std::string> command = {"run",       "--hosts",    agent_->host(), "-e",
                                      kFiveEvents, "--duration", "1s",           "-j"};

  const Finished refused = Pmuctl(command);
  command.emplace_back("--multiplex");
  const Finished shared = Pmuctl(command);

  EXPECT_EQ(refused.status, 122);
  const RunResult four(refused);
  EXPECT_EQ(four.Row("cci400/source=3,event=0x3/").at("total").at("state"), "counted");
  EXPECT_EQ(four.Row("cci400/source=4,event=0x3/").at("total").at("state"), "not_supported");
  EXPECT_EQ(shared.status, 0) << shared.err;
  const RunResult five(shared);
  const auto cycles_share =
      five.Row("cci400/cycles/").at("total").at("running_share").get<double>();
  for (int source = 0; source < 5; ++source) {
    const nlohmann::json total =
        five.Row(absl::StrCat("cci400/source=", source, ",event=0x3/")).at("total");
    EXPECT_EQ(total.at("state"), "counted");
    EXPECT_LT(total.at("running_share").get<double>(), cycles_share);
  }
}

TEST_F(Cci400ExampleTest, SaysWhatMayBeWrongWhenEventsStandStill) {
  AgentOptions options;
  options.options = {"--simulate=cci400-r1:niden=0"};
  agent_ = Agent::Start(options);
  ASSERT_NE(agent_, nullptr);

  const Finished done =
      Pmuctl({"run", "--hosts", agent_->host(), "-e", kEvents, "--duration", "200ms"});

  EXPECT_THAT(done.out, HasSubstr("NIDEN low"));
}

}  // namespace
}  // namespace pmu::integration
