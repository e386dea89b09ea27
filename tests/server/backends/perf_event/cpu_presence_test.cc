// When a counter's time says that its CPU went away.
#include "server/backends/perf_event/cpu_presence.h"

#include "gtest/gtest.h"

namespace pmu::server {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStart = 100'000 * kMs;

TEST(CpuPresence, BeforeTheFirstMarkNothingIsKnown) {
  const CpuPresence presence;
  EXPECT_FALSE(presence.WentAway(kStart, 0));
  EXPECT_FALSE(presence.WantsMark(kStart));
}

TEST(CpuPresence, TimeThatPassesWithTheClockIsPresence) {
  CpuPresence presence;
  presence.Mark(kStart);
  EXPECT_FALSE(presence.WentAway(kStart + 500 * kMs, 500'000'000));
  EXPECT_FALSE(presence.WentAway(kStart + 500 * kMs, 490'000'000));
}

TEST(CpuPresence, TimeThatStandsStillIsAbsenceSinceThen) {
  CpuPresence presence;
  presence.Mark(kStart);
  EXPECT_TRUE(presence.WentAway(kStart + 500 * kMs, 300'000'000));
  EXPECT_EQ(presence.AwaySinceNs(300'000'000), kStart + 300 * kMs);
}

TEST(CpuPresence, OnlyTheTimeSinceTheLatestMarkCounts) {
  CpuPresence presence;
  presence.Mark(kStart);
  EXPECT_FALSE(presence.WantsMark(kStart + 999 * kMs));
  ASSERT_TRUE(presence.WantsMark(kStart + 3000 * kMs));

  // What was enabled for less than the clock says at a mark is so afterwards too.
  presence.Mark(kStart + 3000 * kMs, 2'900'000'000);
  EXPECT_FALSE(presence.WentAway(kStart + 3100 * kMs, 3'000'000'000));
  EXPECT_TRUE(presence.WentAway(kStart + 3100 * kMs, 2'950'000'000));
  EXPECT_EQ(presence.AwaySinceNs(2'950'000'000), kStart + 3050 * kMs);
}

}  // namespace
}  // namespace pmu::server
