#include "client/clock_sync.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

namespace pmu::client {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(ClockEstimatorTest, NothingBeforeTheFirstProbe) {
  EXPECT_FALSE(ClockEstimator().best().has_value());
}

TEST(ClockEstimatorTest, EqualLegsGiveTheOffsetExactly) {
  ClockEstimator estimator;

  // 100 ns each way, 50 ns at the host, whose clock is 1,000,000 ahead.
  estimator.Add({1000, 1'001'100, 1'001'150, 1250});

  ASSERT_TRUE(estimator.best().has_value());
  EXPECT_EQ(estimator.best()->offset_ns, 1'000'000);
  EXPECT_EQ(estimator.best()->error_ns, 100);
  EXPECT_EQ(estimator.best()->measured_at_ns, 1125);
}

TEST(ClockEstimatorTest, KeepsTheProbeWithTheShortestRoundTrip) {
  ClockEstimator estimator;
  estimator.Add({0, 5500, 5500, 1000});
  estimator.Add({2000, 7010, 7010, 2020});
  estimator.Add({3000, 8400, 8400, 3800});

  EXPECT_EQ(estimator.best()->error_ns, 10);
  EXPECT_EQ(estimator.best()->offset_ns, 5000);
}

TEST(ClockEstimatorTest, DropsImpossibleProbes) {
  ClockEstimator estimator;
  estimator.Add({1000, 500, 400, 2000});    // sent before it received
  estimator.Add({1000, 500, 5000, 2000});   // longer at the host than away
  estimator.Add({2000, 500, 500, 1000});    // back before it was sent
  estimator.Add({1000, kMin, kMax, 2000});  // overflows when subtracted
  estimator.Add({1000, kMax, kMax, 2000});  // no clock shows this
  estimator.Add({1000, kMin, kMin, 2000});

  EXPECT_FALSE(estimator.best().has_value());
}

// Whatever the asymmetry of the path, and whatever the clocks show, the true
// offset lies within the bound.
TEST(ClockEstimatorTest, TheTrueOffsetIsAlwaysWithinTheBound) {
  std::mt19937_64 random(20260101);
  constexpr int64_t kYearsNs = int64_t{50} * 365 * 86400 * 1'000'000'000;
  std::uniform_int_distribution<int64_t> any_offset(-kYearsNs, kYearsNs);
  std::uniform_int_distribution<int64_t> any_leg(0, 5'000'000);
  for (int round = 0; round < 2000; ++round) {
    const int64_t offset_ns = any_offset(random);
    ClockEstimator estimator;
    int64_t now_ns = 1'000'000'000;
    for (int probe = 0; probe < 12; ++probe) {
      const int64_t forth_ns = any_leg(random), at_host_ns = any_leg(random);
      // Every third path is one-sided: the worst case.
      const int64_t back_ns = probe % 3 == 0 ? 0 : any_leg(random);
      const int64_t received_ns = now_ns + forth_ns + at_host_ns + back_ns;
      estimator.Add({now_ns, now_ns + forth_ns + offset_ns,
                     now_ns + forth_ns + at_host_ns + offset_ns, received_ns});
      now_ns = received_ns;
    }
    ASSERT_TRUE(estimator.best().has_value());
    EXPECT_LE(std::llabs(estimator.best()->offset_ns - offset_ns), estimator.best()->error_ns);
  }
}

}  // namespace
}  // namespace pmu::client
