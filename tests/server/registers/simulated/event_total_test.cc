#include "server/registers/simulated/event_total.h"

#include <gtest/gtest.h>

namespace pmu::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(EventTotalTest, WithoutJitterIsRateTimesTimeRoundedDown) {
  const EventPattern pattern = {7, 0};

  EXPECT_EQ(EventTotal(pattern, 1, 1000, 0), 0u);
  EXPECT_EQ(EventTotal(pattern, 1, 1000, 999'999), 0u);
  EXPECT_EQ(EventTotal(pattern, 1, 1000, 1'000'000), 1u);
  EXPECT_EQ(EventTotal(pattern, 1, 333, 10 * kSecond + 1), 3330u);
  EXPECT_EQ(EventTotal(pattern, 1, 4'000'000'000, 365 * 86400 * kSecond),
            uint64_t{4'000'000'000} * 365 * 86400);
}

TEST(EventTotalTest, JitterKeepsTheMeanOfAPeriod) {
  const EventPattern pattern = {7, 90};
  const int64_t period = 6'400'000'000;

  EXPECT_EQ(EventTotal(pattern, 3, 1'000'000, period), 6'400'000u);
  EXPECT_EQ(EventTotal(pattern, 3, 1'000'000, 10 * period), 64'000'000u);
}

TEST(EventTotalTest, JitterStaysWithinItsPercentAndNeverGoesBack) {
  const EventPattern pattern = {7, 20};
  uint64_t last = 0;
  bool differs = false;
  for (int slice = 1; slice <= 128; ++slice) {
    const uint64_t total = EventTotal(pattern, 3, 1'000'000, slice * int64_t{100'000'000});
    EXPECT_GE(total - last, 79'999u);
    EXPECT_LE(total - last, 120'001u);
    if (total - last != 100'000) differs = true;
    last = total;
  }
  EXPECT_TRUE(differs);
}

TEST(EventTotalTest, SeedDecides) {
  const int64_t at = 250'000'000;

  EXPECT_EQ(EventTotal({7, 50}, 3, 1'000'000, at), EventTotal({7, 50}, 3, 1'000'000, at));
  EXPECT_NE(EventTotal({7, 50}, 3, 1'000'000, at), EventTotal({8, 50}, 3, 1'000'000, at));
  EXPECT_NE(EventTotal({7, 50}, 3, 1'000'000, at), EventTotal({7, 50}, 4, 1'000'000, at));
}

TEST(SeededNumberTest, StaysInItsRange) {
  for (uint64_t key = 0; key < 1000; ++key) {
    const uint64_t number = SeededNumber(1, key, 20, 90);
    EXPECT_GE(number, 20u);
    EXPECT_LE(number, 90u);
  }
}

}  // namespace
}  // namespace pmu::server
