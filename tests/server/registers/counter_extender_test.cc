#include "server/registers/counter_extender.h"

#include <gtest/gtest.h>

namespace pmu::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint64_t kTurn32 = uint64_t{1} << 32;
constexpr uint64_t kNoLimit = 0;

TEST(CounterExtenderTest, AddsDifferences) {
  CounterExtender counter(32, kNoLimit);
  counter.Restart(100, 0);

  counter.Poll(150, kSecond);
  counter.Poll(400, 2 * kSecond);

  EXPECT_EQ(counter.total(), 300u);
  EXPECT_FALSE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, WrapsAtItsWidth) {
  for (int width : {8, 32, 40, 48, 63, 64}) {
    CounterExtender counter(width, kNoLimit);
    const uint64_t top = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    counter.Restart(top - 1, 0);

    counter.Poll(3, kSecond);

    EXPECT_EQ(counter.total(), 5u) << width;
  }
}

// The field trace tests/cases/regs/msr-smi.txt: 0xfffffffe, then 3, is 5 SMIs.
TEST(CounterExtenderTest, IgnoresBitsAboveItsWidth) {
  CounterExtender counter(32, kNoLimit);
  counter.Restart(0xdeadbeef'fffffffe, 0);

  counter.Poll(0x12345678'00000003, kSecond);

  EXPECT_EQ(counter.total(), 5u);
}

// The field trace tests/cases/regs/msr-rapl.txt: the high half is no energy.
TEST(CounterExtenderTest, EnergyTrace) {
  CounterExtender counter(32, kNoLimit);
  counter.Restart(0xffff0000, 0);

  counter.Poll(0x00008000, kSecond);
  EXPECT_EQ(counter.total(), 98304u);

  counter.Poll(0xdeadbeef00008000, 2 * kSecond);
  EXPECT_EQ(counter.total(), 98304u);
}

TEST(CounterExtenderTest, SuspectsATurnThatNobodyCouldSee) {
  CounterExtender counter(32, 1'000'000'000);  // A turn takes 4.29 s.
  counter.Restart(0, 0);

  counter.Poll(1000, 4 * kSecond);
  EXPECT_FALSE(counter.overflow_suspected());

  counter.Poll(2000, 9 * kSecond);
  EXPECT_TRUE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, FlagTellsAWholeTurn) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(1000, 0);

  counter.PollWithFlag(1500, true, 5 * kSecond);

  EXPECT_EQ(counter.total(), kTurn32 + 500);
  EXPECT_FALSE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, FlagWithADecreaseIsOneWrap) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(0xffffff00, 0);

  counter.PollWithFlag(0x100, true, kSecond);

  EXPECT_EQ(counter.total(), 0x200u);
  EXPECT_FALSE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, NoFlagMeansNoTurnHoweverLate) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(1000, 0);

  counter.PollWithFlag(1500, false, 4 * kSecond);

  EXPECT_EQ(counter.total(), 500u);
  EXPECT_FALSE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, SuspectsTwoWrapsBehindOneFlag) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(0, 0);

  counter.PollWithFlag(500, true, 9 * kSecond);  // 9e9 steps possible: two turns fit.

  EXPECT_TRUE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, DecreaseWithoutFlagIsSomebodyElsesWrite) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(1000, 0);

  counter.PollWithFlag(10, false, kSecond);

  EXPECT_TRUE(counter.overflow_suspected());
}

TEST(CounterExtenderTest, RebaseKeepsTheTotal) {
  CounterExtender counter(32, kNoLimit);
  counter.Restart(0, 0);
  counter.Poll(70, kSecond);

  counter.Rebase(5, 2 * kSecond);
  counter.Poll(10, 3 * kSecond);

  EXPECT_EQ(counter.total(), 75u);
}

TEST(CounterExtenderTest, RestartForgets) {
  CounterExtender counter(32, 1'000'000'000);
  counter.Restart(1000, 0);
  counter.PollWithFlag(10, false, kSecond);

  counter.Restart(10, kSecond);

  EXPECT_EQ(counter.total(), 0u);
  EXPECT_FALSE(counter.overflow_suspected());
}

}  // namespace
}  // namespace pmu::server
