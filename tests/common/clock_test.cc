#include "common/clock.h"

#include <time.h>

#include "gtest/gtest.h"
#include "tests/fakes/fake_clock.h"

namespace pmu {
namespace {

int64_t Ns(clockid_t id) {
  timespec now;
  clock_gettime(id, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

TEST(ClockTest, MonotonicIsTheSystemsMonotonicClock) {
  const int64_t before = Ns(CLOCK_MONOTONIC);
  const int64_t now = SystemClock().MonotonicNs();
  const int64_t after = Ns(CLOCK_MONOTONIC);

  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(ClockTest, WallIsUnixTime) {
  // Above any uptime, so that it cannot be the monotonic clock by mistake:
  // 2020-01-01 in nanoseconds.
  EXPECT_GT(SystemClock().WallNs(), 1'577'836'800'000'000'000);
}

TEST(FakeClockTest, StandsStillUntilMoved) {
  FakeClock clock;
  const int64_t monotonic = clock.MonotonicNs();
  const int64_t wall = clock.WallNs();

  clock.Advance(5);
  clock.StepWall(-100);

  EXPECT_EQ(clock.MonotonicNs(), monotonic + 5);
  EXPECT_EQ(clock.WallNs(), wall - 95);
}

}  // namespace
}  // namespace pmu
