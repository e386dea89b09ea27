#include "server/thread_scheduler.h"

#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMillisecond = 1'000'000;

class ThreadSchedulerTest : public ::testing::Test {
 protected:
  int64_t Now() const { return SystemClock().MonotonicNs(); }

  std::unique_ptr<ThreadScheduler> scheduler_ = ThreadScheduler::Create().value();
};

TEST_F(ThreadSchedulerTest, NeverRunsEarly) {
  for (const auto precision : {Scheduler::Precision::kExact, Scheduler::Precision::kCoarse}) {
    absl::Notification done;
    int64_t ran_ns = 0;
    const int64_t at_ns = Now() + 5 * kMillisecond;

    scheduler_->At(at_ns, precision, [&] {
      ran_ns = Now();
      done.Notify();
    });
    done.WaitForNotification();

    EXPECT_GE(ran_ns, at_ns);
  }
}

TEST_F(ThreadSchedulerTest, RunsWhatIsPastAtOnce) {
  absl::Notification done;

  scheduler_->At(1, Scheduler::Precision::kExact, [&] { done.Notify(); });

  done.WaitForNotification();
}

TEST_F(ThreadSchedulerTest, AnEarlierTimeOvertakesALaterOne) {
  absl::Notification done;
  std::vector<int> ran;
  const int64_t now = Now();
  scheduler_->At(now + 3'600'000 * kMillisecond, Scheduler::Precision::kExact, [] { FAIL(); });
  scheduler_->At(now + 20 * kMillisecond, Scheduler::Precision::kCoarse, [&] {
    ran.push_back(2);
    done.Notify();
  });
  scheduler_->At(now + 10 * kMillisecond, Scheduler::Precision::kExact, [&] { ran.push_back(1); });

  done.WaitForNotification();

  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST_F(ThreadSchedulerTest, CancelledActionsDoNotRun) {
  absl::Notification done;
  const int64_t now = Now();
  const auto exact =
      scheduler_->At(now + 10 * kMillisecond, Scheduler::Precision::kExact, [] { FAIL(); });
  const auto coarse =
      scheduler_->At(now + 10 * kMillisecond, Scheduler::Precision::kCoarse, [] { FAIL(); });
  scheduler_->Cancel(exact);
  scheduler_->Cancel(coarse);
  scheduler_->At(now + 15 * kMillisecond, Scheduler::Precision::kCoarse, [&] { done.Notify(); });

  done.WaitForNotification();
}

TEST_F(ThreadSchedulerTest, ActionsMayPlanActions) {
  absl::Notification done;

  scheduler_->At(1, Scheduler::Precision::kExact, [&] {
    scheduler_->At(Now() + kMillisecond, Scheduler::Precision::kExact, [&] { done.Notify(); });
  });

  done.WaitForNotification();
}

TEST_F(ThreadSchedulerTest, StopDropsWhatHasNotRun) {
  scheduler_->At(Now() + 3'600'000 * kMillisecond, Scheduler::Precision::kExact, [] { FAIL(); });

  scheduler_->Stop();
  scheduler_->Stop();
  scheduler_->At(1, Scheduler::Precision::kExact, [] { FAIL(); });
}

TEST_F(ThreadSchedulerTest, TakesTimesAtTheEndsOfTheRange) {
  absl::Notification done;
  scheduler_->At(INT64_MAX, Scheduler::Precision::kExact, [] { FAIL(); });
  scheduler_->At(INT64_MAX, Scheduler::Precision::kCoarse, [] { FAIL(); });

  scheduler_->At(Now() + kMillisecond, Scheduler::Precision::kExact, [&] { done.Notify(); });

  done.WaitForNotification();
}

}  // namespace
}  // namespace pmu::server
