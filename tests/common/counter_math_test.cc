#include "common/counter_math.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/text.h"
#include "gtest/gtest.h"
#include "tests/common/case_table.h"

namespace pmu {
namespace {

// The wanted column starts with the count ("4000, 25%") or says why there is
// none ("not ..."); what follows is for people.
TEST(CounterMathTest, ScalesEveryCaseExactly) {
  int counted = 0;
  int absent = 0;
  for (const auto& row : ReadCaseTable("scaling.tsv", 5)) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2]);
    const uint64_t raw = *ParseDigits(row[0]);
    const uint64_t enabled = *ParseDigits(row[1]);
    const uint64_t running = *ParseDigits(row[2]);

    const absl::optional<absl::uint128> scaled = ScaleCount(raw, enabled, running);

    if (absl::StartsWith(row[3], "not")) {
      EXPECT_FALSE(scaled.has_value());
      ++absent;
      continue;
    }
    const size_t end = row[3].find_first_not_of("0123456789");
    ASSERT_TRUE(scaled.has_value());
    EXPECT_EQ(*scaled, absl::uint128(*ParseDigits(row[3].substr(0, end))));
    ++counted;
  }
  EXPECT_GE(counted, 5);
  EXPECT_GE(absent, 2);
}

TEST(CounterMathTest, LargestProductDoesNotWrap) {
  // 2^64-1 counted in 1 ns of 2^64-1: (2^64-1)^2.
  const absl::optional<absl::uint128> scaled = ScaleCount(UINT64_MAX, UINT64_MAX, 1);

  ASSERT_TRUE(scaled.has_value());
  EXPECT_EQ(absl::Uint128High64(*scaled), UINT64_MAX - 1);
  EXPECT_EQ(absl::Uint128Low64(*scaled), 1u);
}

TEST(CounterMathTest, RoundsDown) {
  EXPECT_EQ(*ScaleCount(10, 100, 33), absl::uint128(30));  // 30.30
  EXPECT_EQ(*ScaleCount(2, 3, 2), absl::uint128(3));
  EXPECT_EQ(*ScaleCount(1, 5, 3), absl::uint128(1));  // 1.67
}

TEST(CounterMathTest, ZeroThatRanIsAMeasuredZero) {
  ASSERT_TRUE(ScaleCount(0, 10, 5).has_value());
  EXPECT_EQ(*ScaleCount(0, 10, 5), absl::uint128(0));
}

TEST(CounterMathTest, RunningShareStaysInRange) {
  EXPECT_EQ(RunningShare(0, 0), 0);
  EXPECT_EQ(RunningShare(0, 5), 0);
  EXPECT_EQ(RunningShare(1'000'000'000, 0), 0);
  EXPECT_EQ(RunningShare(4'000'000'000, 1'000'000'000), 0.25);
  EXPECT_EQ(RunningShare(1000, 1000), 1);
  EXPECT_EQ(RunningShare(1000, 1001), 1);
  EXPECT_LE(RunningShare(UINT64_MAX, UINT64_MAX - 1), 1);
}

TEST(CounterMathTest, NamesEveryState) {
  EXPECT_STREQ(ReadingStateName(ReadingState::kCounted), "counted");
  EXPECT_STREQ(ReadingStateName(ReadingState::kNotCounted), "not counted");
  EXPECT_STREQ(ReadingStateName(ReadingState::kNotSupported), "not supported");
  EXPECT_STREQ(ReadingStateName(ReadingState::kOverflowSuspected), "overflow suspected");
  EXPECT_STREQ(ReadingStateName(ReadingState::kCpuLost), "CPU lost");
}

}  // namespace
}  // namespace pmu
