// How many hosts may probe their clocks at once.
#include "client/clock_burst.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace pmu::client {
namespace {

constexpr int kHosts = 1000;

// All hosts go through the gate, one leaving after the other. A round trip
// takes `network` and the work of all that are inside. The most that were.
size_t MostInside(absl::Duration network, absl::Duration work, absl::Duration send_work) {
  ClockBurstGate gate;
  int entered = 0;
  for (int i = 0; i < kHosts; ++i) gate.Enter([&entered] { ++entered; });
  size_t most = 0;
  while (gate.inside() > 0) {
    most = std::max(most, gate.inside());
    ClockBurst burst;
    burst.fastest = network + work * static_cast<int64_t>(gate.inside());
    burst.send_work = send_work;
    gate.Learn(burst);
    gate.Leave();
  }
  EXPECT_EQ(entered, kHosts);
  return most;
}

TEST(ClockBurstGateTest, AQueueOfOurOwnMakingIsNoSlowNetwork) {
  // The work may be half as much again as was estimated from the sending.
  EXPECT_LE(MostInside(absl::Microseconds(100), absl::Microseconds(60), absl::Microseconds(20)),
            4u);
  EXPECT_LE(MostInside(absl::Microseconds(100), absl::Microseconds(90), absl::Microseconds(20)),
            6u);
}

TEST(ClockBurstGateTest, ASlowNetworkLetsManyIn) {
  EXPECT_GE(MostInside(absl::Milliseconds(50), absl::Microseconds(60), absl::Microseconds(20)),
            300u);
}

TEST(ClockBurstGateTest, AMomentInWhichAllStoodStillPasses) {
  ClockBurstGate gate;
  for (int i = 0; i < kHosts; ++i) gate.Enter([] {});
  ClockBurst burst;
  burst.send_work = absl::Microseconds(20);
  burst.fastest = absl::Milliseconds(5);
  gate.Learn(burst);
  gate.Leave();
  EXPECT_GT(gate.inside(), 30u);
  for (int i = 0; i < 100; ++i) {
    burst.fastest = absl::Microseconds(100) + absl::Microseconds(60) * gate.inside();
    gate.Learn(burst);
    gate.Leave();
  }
  EXPECT_LE(gate.inside(), 4u);
}

}  // namespace
}  // namespace pmu::client
