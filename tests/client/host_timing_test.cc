#include "client/host_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace pmu::client {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

ClockOffset Offset(int64_t offset_ns, int64_t error_ns, int64_t measured_at_ns) {
  ClockOffset clock;
  clock.offset_ns = offset_ns;
  clock.error_ns = error_ns;
  clock.measured_at_ns = measured_at_ns;
  return clock;
}

TEST(MapWindowTest, IsTheMiddleWithinHalfTheWindowAndTheClockError) {
  const auto moment =
      MapWindow(Offset(5 * kSecond, 100, 1000), 5 * kSecond + 900, 5 * kSecond + 1100);

  ASSERT_TRUE(moment.has_value());
  EXPECT_EQ(moment->controller_ns, 1000);
  EXPECT_GE(moment->error_ns, 200);
  EXPECT_LE(moment->error_ns, 202);
}

TEST(MapWindowTest, AnOldEstimateIsLessSure) {
  const auto moment = MapWindow(Offset(0, 100, 0), 10 * kSecond, 10 * kSecond);

  ASSERT_TRUE(moment.has_value());
  EXPECT_GE(moment->error_ns, 100 + 10 * kSecond / 1'000'000 * kMaxDriftPpm);
}

TEST(MapWindowTest, TimesThatNoClockShowsAreNoMoment) {
  const ClockOffset clock = Offset(0, 100, 0);
  EXPECT_FALSE(MapWindow(clock, 0, 0).has_value());
  EXPECT_FALSE(MapWindow(clock, 10, 0).has_value());
  EXPECT_FALSE(MapWindow(clock, 10, 9).has_value());
  EXPECT_FALSE(MapWindow(clock, 10, std::numeric_limits<int64_t>::max()).has_value());
  EXPECT_FALSE(MapWindow(clock, std::numeric_limits<int64_t>::min(), 10).has_value());
}

TEST(CheckClockMovedTest, DriftIsNoJump) {
  // 100 ppm over 100 s.
  EXPECT_TRUE(CheckClockMoved(Offset(0, 0, 0), Offset(10'000'000, 0, 100 * kSecond)).ok());
}

TEST(CheckClockMovedTest, ASuspendedMachineIsAJump) {
  const absl::Status status =
      CheckClockMoved(Offset(0, 100'000, 0), Offset(-2 * kSecond, 100'000, 10 * kSecond));

  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_NE(status.message().find("jumped by -2.000000 s"), absl::string_view::npos) << status;
}

TEST(StartSkewTest, OneHostHasNone) {
  const auto skew = ComputeStartSkew({{12345, 1000}});

  ASSERT_TRUE(skew.has_value());
  EXPECT_EQ(skew->skew_ns, 0);
  EXPECT_EQ(skew->error_ns, 0);
  EXPECT_FALSE(ComputeStartSkew({}).has_value());
}

TEST(StartSkewTest, IsLargestMinusSmallest) {
  const auto skew = ComputeStartSkew({{1000, 10}, {1700, 20}, {1200, 5}});

  EXPECT_EQ(skew->skew_ns, 700);
  EXPECT_EQ(skew->error_ns, 30);
}

TEST(StartSkewTest, TheTrueSkewIsAlwaysWithinTheBound) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> any_time(0, 1'000'000), any_error(0, 300'000);
  for (int round = 0; round < 5000; ++round) {
    std::vector<MappedTime> estimates;
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (int host = 0; host < 2 + round % 6; ++host) {
      const int64_t truth = any_time(random), error = any_error(random);
      std::uniform_int_distribution<int64_t> wrong_by(-error, error);
      estimates.push_back({truth + wrong_by(random), error});
      first = std::min(first, truth);
      last = std::max(last, truth);
    }
    const auto skew = ComputeStartSkew(estimates);
    EXPECT_LE(std::llabs(skew->skew_ns - (last - first)), skew->error_ns);
  }
}

}  // namespace
}  // namespace pmu::client
