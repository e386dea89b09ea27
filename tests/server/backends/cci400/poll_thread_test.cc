#include "server/backends/cci400/poll_thread.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/notification.h"

namespace pmu::server {
namespace {

TEST(PollThreadTest, CallsAgainAsLongAsItIsAskedTo) {
  std::atomic<int> calls{0};
  absl::Notification third;
  auto thread = PollThread::Start([&]() -> int64_t {
    if (++calls < 3) return calls == 1 ? 0 : 1000;
    third.Notify();
    return -1;
  });
  ASSERT_TRUE(thread.ok()) << thread.status();

  third.WaitForNotification();
  thread->reset();

  EXPECT_EQ(calls, 3);
}

TEST(PollThreadTest, EndsALongSleep) {
  absl::Notification called;
  auto thread = PollThread::Start([&]() -> int64_t {
    called.Notify();
    return int64_t{3600} * 1'000'000'000;
  });
  ASSERT_TRUE(thread.ok()) << thread.status();
  called.WaitForNotification();

  thread->reset();  // Must return: the test would time out.
}

}  // namespace
}  // namespace pmu::server
