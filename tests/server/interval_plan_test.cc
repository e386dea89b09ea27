#include "server/interval_plan.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 5'000 * kMs;

TEST(IntervalPlan, DeadlinesAreAbsolute) {
  IntervalPlan plan(kStart, 10 * kMs);
  EXPECT_EQ(plan.NextDueNs(), kStart + 10 * kMs);

  const IntervalPlan::Turn first = plan.TakeDue(kStart + 17 * kMs);

  EXPECT_EQ(first.number, 1u);
  EXPECT_EQ(first.due_ns, kStart + 10 * kMs);
  EXPECT_TRUE(first.late);
  EXPECT_EQ(plan.NextDueNs(), kStart + 20 * kMs);  // as if nothing had been late
}

TEST(IntervalPlan, LateIsATenthOfTheIntervalOrAMillisecond) {
  EXPECT_FALSE(IntervalPlan(kStart, kMs).TakeDue(kStart + kMs + kMs / 10).late);
  EXPECT_TRUE(IntervalPlan(kStart, kMs).TakeDue(kStart + kMs + kMs / 10 + 1).late);
  EXPECT_FALSE(IntervalPlan(kStart, 1000 * kMs).TakeDue(kStart + 1001 * kMs).late);
  EXPECT_TRUE(IntervalPlan(kStart, 1000 * kMs).TakeDue(kStart + 1001 * kMs + 1).late);
}

TEST(IntervalPlan, DeadlinesThatPassedAreCounted) {
  IntervalPlan plan(kStart, 10 * kMs);
  plan.TakeDue(kStart + 10 * kMs);

  const IntervalPlan::Turn turn = plan.TakeDue(kStart + 55 * kMs);

  EXPECT_EQ(turn.number, 5u);
  EXPECT_EQ(turn.due_ns, kStart + 50 * kMs);
  EXPECT_EQ(turn.missed_before, 3u);
  EXPECT_EQ(plan.NextDueNs(), kStart + 60 * kMs);
}

TEST(IntervalPlan, TheLastTakesTheNumberOfItsDeadline) {
  IntervalPlan on_time(kStart, 10 * kMs);
  on_time.TakeDue(kStart + 10 * kMs);
  EXPECT_EQ(on_time.TakeLast(kStart + 20 * kMs).number, 2u);

  IntervalPlan early(kStart, 10 * kMs);
  early.TakeDue(kStart + 10 * kMs);
  const IntervalPlan::Turn turn = early.TakeLast(kStart + 13 * kMs);
  EXPECT_EQ(turn.number, 2u);
  EXPECT_EQ(turn.due_ns, kStart + 13 * kMs);
  EXPECT_EQ(turn.missed_before, 0u);

  IntervalPlan held_up(kStart, 10 * kMs);
  EXPECT_EQ(held_up.TakeLast(kStart + 31 * kMs).number, 4u);
}

TEST(IntervalPlan, AligningMovesAllThatIsToCome) {
  IntervalPlan plan(kStart, 10 * kMs);
  plan.TakeDue(kStart + 10 * kMs);

  ASSERT_TRUE(plan.Align(5, kStart + 52 * kMs).ok());
  EXPECT_EQ(plan.NextDueNs(), kStart + 22 * kMs);

  EXPECT_TRUE(absl::IsInvalidArgument(plan.Align(5, kStart + 58 * kMs)));
  EXPECT_TRUE(absl::IsInvalidArgument(plan.Align(5, INT64_MIN)));
  EXPECT_TRUE(absl::IsInvalidArgument(plan.Align(UINT64_MAX, kStart)));
  EXPECT_EQ(plan.NextDueNs(), kStart + 22 * kMs);
}

TEST(IntervalPlan, AligningANumberTooFarAheadIsRefusedWhateverTheInterval) {
  constexpr int64_t kHour = 3'600'000 * kMs;
  constexpr uint64_t kNumber = uint64_t{1} << 32;
  IntervalPlan plan(kStart, kHour);
  // Where the deadline would seem to lie if the arithmetic wrapped around.
  const auto wrapped = static_cast<int64_t>(kStart + kNumber * static_cast<uint64_t>(kHour));

  EXPECT_TRUE(absl::IsInvalidArgument(plan.Align(kNumber, wrapped)));
  EXPECT_EQ(plan.NextDueNs(), kStart + kHour);
}

TEST(IntervalPlan, ASampleThatComesAfterTheStopHasANumberBeforeIt) {
  IntervalPlan plan(kStart, 10 * kMs);
  const int64_t stop_ns = kStart + 30 * kMs;

  const IntervalPlan::Turn turn = plan.TakeDue(kStart + 45 * kMs, stop_ns);

  EXPECT_EQ(turn.number, 2u);
  EXPECT_EQ(turn.missed_before, 1u);
  EXPECT_TRUE(turn.late);
  EXPECT_EQ(plan.TakeLast(stop_ns).number, 3u);
}

}  // namespace
}  // namespace pmu::server
