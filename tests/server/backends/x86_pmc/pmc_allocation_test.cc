#include "server/backends/x86_pmc/pmc_allocation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;

TEST(AllocateCounters, InOrder) {
  EXPECT_THAT(AllocateCounters({{0xf, 0}, {0xf, 0}}, 0xf), ElementsAre(0, 1));
}

TEST(AllocateCounters, OnlyFreeOnes) {
  EXPECT_THAT(AllocateCounters({{0xf, 0}, {0xf, 0}}, 0b1010), ElementsAre(1, 3));
}

TEST(AllocateCounters, AnEarlierEventMovesForAConstrainedOne) {
  EXPECT_THAT(AllocateCounters({{0b11, 0}, {0b01, 0}}, 0b11), ElementsAre(1, 0));
}

TEST(AllocateCounters, TheLastGetsNone) {
  EXPECT_THAT(AllocateCounters({{0b11, 0}, {0b11, 0}, {0b11, 0}}, 0b11), ElementsAre(0, 1, -1));
}

TEST(AllocateCounters, TwoThatNeedTheSameCounter) {
  EXPECT_THAT(AllocateCounters({{0b01, 0}, {0b01, 0}, {0b11, 0}}, 0b11), ElementsAre(0, -1, 1));
}

TEST(AllocateCounters, AGroupGetsAllOrNothing) {
  EXPECT_THAT(AllocateCounters({{0b11, 1}, {0b11, 1}, {0b11, 1}, {0b11, 0}}, 0b11),
              ElementsAre(-1, -1, -1, 0));
  EXPECT_THAT(AllocateCounters({{0b11, 0}, {0b11, 1}, {0b11, 1}}, 0b11), ElementsAre(0, -1, -1));
}

TEST(AllocateCounters, Nothing) { EXPECT_THAT(AllocateCounters({}, 0xff), ElementsAre()); }

}  // namespace
}  // namespace pmu::server
