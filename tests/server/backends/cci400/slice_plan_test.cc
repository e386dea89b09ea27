#include "server/backends/cci400/slice_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kCounters = 4;

TEST(SlicePlanTest, AllThatFitIsOneSlice) {
  SlicePlan plan({0, 0, 0, 0}, kCounters, false);

  EXPECT_FALSE(plan.shares());
  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 2, 3));
}

TEST(SlicePlanTest, NoEventsAreAnEmptySlice) {
  SlicePlan plan({}, kCounters, true);

  EXPECT_THAT(plan.NextSlice(), IsEmpty());
}

TEST(SlicePlanTest, TheFifthIsRefused) {
  SlicePlan plan({0, 0, 0, 0, 0}, kCounters, false);

  EXPECT_FALSE(plan.refused(3));
  EXPECT_TRUE(plan.refused(4));
  EXPECT_FALSE(plan.group_too_large(4));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 2, 3));
}

TEST(SlicePlanTest, AGroupIsTakenOrRefusedWhole) {
  SlicePlan plan({0, 0, 1, 1, 1, 0}, kCounters, false);

  EXPECT_TRUE(plan.refused(2));
  EXPECT_TRUE(plan.refused(3));
  EXPECT_TRUE(plan.refused(4));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 5));
}

TEST(SlicePlanTest, AGroupLargerThanTheHardwareNeverFits) {
  SlicePlan plan({1, 1, 1, 1, 1, 0}, kCounters, true);

  EXPECT_TRUE(plan.group_too_large(0));
  EXPECT_TRUE(plan.refused(4));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(5));
}

TEST(SlicePlanTest, SharingGivesEveryEventTheSameTurns) {
  SlicePlan plan({0, 0, 0, 0, 0, 0}, kCounters, true);
  std::vector<int> turns(6);

  for (int slice = 0; slice < 6; ++slice) {
    for (size_t event : plan.NextSlice()) ++turns[event];
  }

  EXPECT_TRUE(plan.shares());
  EXPECT_THAT(turns, ElementsAre(4, 4, 4, 4, 4, 4));
}

TEST(SlicePlanTest, SharingKeepsGroupsTogether) {
  SlicePlan plan({1, 1, 1, 2, 2, 2}, kCounters, true);

  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 2));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(3, 4, 5));
  EXPECT_THAT(plan.NextSlice(), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace pmu::server
