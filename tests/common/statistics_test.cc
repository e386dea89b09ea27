#include "common/statistics.h"

#include <cmath>

#include "gtest/gtest.h"

namespace pmu {
namespace {

TEST(StatisticsTest, EmptyIsZero) {
  const Statistics statistics;

  EXPECT_EQ(statistics.count(), 0);
  EXPECT_EQ(statistics.mean(), 0);
  EXPECT_EQ(statistics.min(), 0);
  EXPECT_EQ(statistics.max(), 0);
  EXPECT_EQ(statistics.stddev(), 0);
}

TEST(StatisticsTest, OneNumberHasNoSpread) {
  Statistics statistics;
  statistics.Add(-3);

  EXPECT_EQ(statistics.mean(), -3);
  EXPECT_EQ(statistics.min(), -3);
  EXPECT_EQ(statistics.max(), -3);
  EXPECT_EQ(statistics.stddev(), 0);
}

TEST(StatisticsTest, KnownSample) {
  Statistics statistics;
  for (const double number : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) statistics.Add(number);

  EXPECT_EQ(statistics.count(), 8);
  EXPECT_DOUBLE_EQ(statistics.mean(), 5);
  EXPECT_EQ(statistics.min(), 2);
  EXPECT_EQ(statistics.max(), 9);
  EXPECT_DOUBLE_EQ(statistics.stddev(), std::sqrt(32.0 / 7));
}

// The sum of squares of such counts has 2^107 at its top: a formula that
// subtracts it from the squared mean is left with nothing.
TEST(StatisticsTest, SmallSpreadOnLargeCounts) {
  constexpr double kOffset = 1e16;  // Above 2^53: doubles are 2 apart here.
  Statistics statistics;
  for (const double number : {4.0, 8.0, 14.0, 16.0}) statistics.Add(kOffset + number);

  EXPECT_NEAR(statistics.mean() - kOffset, 10.5, 2);
  EXPECT_EQ(statistics.min(), kOffset + 4);
  EXPECT_EQ(statistics.max(), kOffset + 16);
  EXPECT_NEAR(statistics.stddev(), std::sqrt(91.0 / 3), 0.5);
}

TEST(StatisticsTest, ManyNumbersOnALargeOffset) {
  constexpr double kOffset = 4e12;
  Statistics statistics;
  for (int i = 0; i < 100'000; ++i) statistics.Add(kOffset + i % 2);

  EXPECT_NEAR(statistics.mean(), kOffset + 0.5, 1e-3);
  EXPECT_NEAR(statistics.stddev(), 0.5, 1e-4);
}

// t(4) = 2.7764, t(1) = 12.7062, t(40) = 2.0211 (any table of Student's t).
TEST(StatisticsTest, ConfidenceIsStudentsT) {
  Statistics five;
  for (int i = 1; i <= 5; ++i) five.Add(i);
  EXPECT_NEAR(five.confidence95(), 2.7764 * std::sqrt(2.5) / std::sqrt(5.0), 1e-4);

  Statistics two;
  two.Add(1);
  EXPECT_TRUE(std::isinf(two.confidence95()));
  two.Add(3);
  EXPECT_NEAR(two.confidence95(), 12.7062, 1e-4);

  Statistics many;
  for (int i = 0; i < 41; ++i) many.Add(i % 2);
  EXPECT_NEAR(many.confidence95() * std::sqrt(41.0) / many.stddev(), 2.0211, 1e-4);
}

}  // namespace
}  // namespace pmu
