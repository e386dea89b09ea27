#include "server/timer_queue.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;

TEST(TimerQueueTest, RunsWhatIsDueInOrderOfTimeThenOfAdding) {
  TimerQueue queue;
  std::vector<int> ran;
  queue.Add(20, [&] { ran.push_back(3); });
  queue.Add(10, [&] { ran.push_back(1); });
  queue.Add(10, [&] { ran.push_back(2); });
  queue.Add(21, [&] { ran.push_back(4); });

  EXPECT_EQ(queue.RunDue(20), 3u);

  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
  EXPECT_EQ(queue.NextDeadline(), absl::optional<int64_t>(21));
}

TEST(TimerQueueTest, NothingRunsEarly) {
  TimerQueue queue;
  queue.Add(10, [] { FAIL(); });

  EXPECT_EQ(queue.RunDue(9), 0u);
  EXPECT_EQ(queue.size(), 1u);
}

TEST(TimerQueueTest, CancelledEntriesDoNotRun) {
  TimerQueue queue;
  const TimerQueue::Id id = queue.Add(10, [] { FAIL(); });

  EXPECT_TRUE(queue.Cancel(id));
  EXPECT_FALSE(queue.Cancel(id));

  EXPECT_EQ(queue.RunDue(10), 0u);
  EXPECT_EQ(queue.NextDeadline(), absl::nullopt);
}

TEST(TimerQueueTest, AnEntryThatRanCannotBeCancelled) {
  TimerQueue queue;
  const TimerQueue::Id id = queue.Add(10, [] {});
  queue.RunDue(10);

  EXPECT_FALSE(queue.Cancel(id));
  EXPECT_NE(queue.Add(10, [] {}), id);
}

TEST(TimerQueueTest, ActionsMayAddActions) {
  TimerQueue queue;
  std::vector<int> ran;
  queue.Add(10, [&] {
    ran.push_back(1);
    queue.Add(5, [&] { ran.push_back(2); });
    queue.Add(11, [&] { ran.push_back(3); });
  });

  queue.RunDue(10);

  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(TimerQueueTest, TakesTimesAtTheEndsOfTheRange) {
  TimerQueue queue;
  int ran = 0;
  queue.Add(INT64_MAX, [&] { ++ran; });
  queue.Add(INT64_MIN, [&] { ++ran; });

  EXPECT_EQ(queue.RunDue(0), 1u);
  EXPECT_EQ(queue.RunDue(INT64_MAX), 1u);
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace pmu::server
