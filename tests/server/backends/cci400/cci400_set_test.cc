// Counting with a CCI-400: the manual's procedure, wraps, sharing, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/backends/cci400/cci400_board.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMillisecond = 1'000'000;

constexpr char kWorkedExample[] =
    "{cci400/source=3,event=0x3/,cci400/source=3,event=0xa/,"
    "cci400/source=4,event=0x3/,cci400/source=4,event=0xa/,cci400/cycles/}";

TEST(Cci400SetTest, WorkedExampleWritesInTheManualsOrder) {
  Cci400Board board;
  auto set = board.Open(kWorkedExample);
  EXPECT_THAT(board.writes, IsEmpty());  // Opening changes nothing.

  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_THAT(board.writes, ElementsAre(
                                // 1. What to count on S3 and S4.
                                "write 0xa000 = 0x63", "write 0xb000 = 0x6a", "write 0xc000 = 0x83",
                                "write 0xd000 = 0x8a",
                                // 2. Enable the four and the cycle counter.
                                "write 0xa008 = 0x1", "write 0xb008 = 0x1", "write 0xc008 = 0x1",
                                "write 0xd008 = 0x1", "write 0x9008 = 0x1",
                                // 3. Reset, then start.
                                "write 0x100 = 0x2006", "write 0x100 = 0x2001",
                                // 5. Stop.
                                "write 0x100 = 0x2000"));
}

TEST(Cci400SetTest, WorkedExampleCountsWhatTheModelCounted) {
  Cci400Board board(
      "cci400-r1:cycles=500M,event.0x63=4000003,event.0x6a=1000001,event.0x83=777,event.0x8a=7");
  auto set = board.Open(kWorkedExample);
  ASSERT_TRUE(set->Enable().ok());

  board.clock.Advance(2 * kSecond);
  ASSERT_TRUE(set->Disable().ok());
  board.clock.Advance(kSecond);
  const std::vector<RawReading> readings = Cci400Board::Read(*set);

  EXPECT_EQ(readings[0].raw_count, 8'000'006u);
  EXPECT_EQ(readings[1].raw_count, 2'000'002u);
  EXPECT_EQ(readings[2].raw_count, 1554u);
  EXPECT_EQ(readings[3].raw_count, 14u);
  EXPECT_EQ(readings[4].raw_count, 1'000'000'000u);
  for (const RawReading& reading : readings) {
    EXPECT_EQ(reading.state, ReadingState::kCounted);
    EXPECT_EQ(reading.enabled_ns, 2'000'000'000u);
    EXPECT_EQ(reading.running_ns, 2'000'000'000u);
  }
}

TEST(Cci400SetTest, ReadsWhileCounting) {
  Cci400Board board("cci400-r1:event.0x63=1000");
  auto set = board.Open("cci400/source=3,event=3/");
  ASSERT_TRUE(set->Enable().ok());

  board.clock.Advance(kSecond);
  EXPECT_EQ(Cci400Board::Read(*set)[0].raw_count, 1000u);
  board.clock.Advance(kSecond);
  EXPECT_EQ(Cci400Board::Read(*set)[0].raw_count, 2000u);
}

TEST(Cci400SetTest, NothingIsCountedBeforeEnable) {
  Cci400Board board;
  auto set = board.Open("cci400/cycles/");
  board.clock.Advance(kSecond);

  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kNotCounted);
}

TEST(Cci400SetTest, EnablingAgainCountsFromZero) {
  Cci400Board board("cci400-r1:event.0x63=1000");
  auto set = board.Open("cci400/source=3,event=3/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(5 * kSecond);
  ASSERT_TRUE(set->Disable().ok());

  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(Cci400Board::Read(*set)[0].raw_count, 1000u);
  EXPECT_EQ(Cci400Board::Read(*set)[0].enabled_ns, 1'000'000'000u);
}

TEST(Cci400SetTest, CountsFromWhateverAResetLeaves) {
  Cci400Board board("cci400-r1:event.0x63=1000,cycles=5000,start=0xffffff00");
  auto set = board.Open("cci400/source=3,event=3/,cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());

  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = Cci400Board::Read(*set);
  EXPECT_EQ(readings[0].raw_count, 1000u);
  EXPECT_EQ(readings[1].raw_count, 5000u);
  EXPECT_EQ(readings[1].state, ReadingState::kCounted);
}

// 500 MHz wraps after 8.6 s; polled every second, 100 s are counted exactly.
TEST(Cci400SetTest, WidensThroughManyWraps) {
  Cci400Board board("cci400-r1:cycles=500M");
  auto set = board.Open("cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());

  for (int i = 0; i < 100; ++i) {
    board.clock.Advance(kSecond);
    EXPECT_GT(Cci400Board::AsCci400(*set).Poll(), 0);
  }
  ASSERT_TRUE(set->Disable().ok());

  const RawReading reading = Cci400Board::Read(*set)[0];
  EXPECT_EQ(reading.raw_count, 50'000'000'000u);
  EXPECT_EQ(reading.state, ReadingState::kCounted);
}

// Polled a whole turn late: the flag alone tells that there was one.
TEST(Cci400SetTest, FlagTellsAWholeTurn) {
  Cci400Board board("cci400-r1:cycles=800M");
  auto set = board.Open("cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());

  board.clock.Advance(6 * kSecond);  // 4.8e9: once around and further.
  ASSERT_TRUE(set->Disable().ok());

  const RawReading reading = Cci400Board::Read(*set)[0];
  EXPECT_EQ(reading.raw_count, 4'800'000'000u);
  EXPECT_EQ(reading.state, ReadingState::kCounted);
}

TEST(Cci400SetTest, WrapsThatCannotBeToldApartAreSaid) {
  Cci400Board board("cci400-r1:cycles=800M");
  auto set = board.Open("cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());

  board.clock.Advance(20 * kSecond);  // Three turns, one flag.
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kOverflowSuspected);
}

TEST(Cci400SetTest, FifthEventIsRefused) {
  Cci400Board board;
  auto set = board.Open(
      "cci400/source=0,event=1/,cci400/source=1,event=1/,cci400/source=2,event=1/,"
      "cci400/source=3,event=1/,cci400/source=4,event=1/,cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  const absl::Status& refused = set->slots()[4].status;
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("all 4 event counters"));
  const std::vector<RawReading> readings = Cci400Board::Read(*set);
  EXPECT_EQ(readings[3].state, ReadingState::kCounted);
  EXPECT_EQ(readings[4].state, ReadingState::kNotSupported);
  EXPECT_EQ(readings[5].state, ReadingState::kCounted);
}

TEST(Cci400SetTest, SharedCountersSayHowLongTheyRan) {
  Cci400Board board("cci400-r1:rate=1000000,cycles=500M");
  board.target.multiplex = true;
  auto set = board.Open(
      "cci400/source=0,event=1/,cci400/source=1,event=1/,cci400/source=2,event=1/,"
      "cci400/source=3,event=1/,cci400/source=4,event=1/,cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());

  for (int slice = 0; slice < 10; ++slice) {
    board.clock.Advance(100 * kMillisecond);
    Cci400Board::AsCci400(*set).Poll();
  }
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = Cci400Board::Read(*set);
  for (int event = 0; event < 5; ++event) {
    EXPECT_EQ(readings[event].state, ReadingState::kCounted) << event;
    EXPECT_EQ(readings[event].enabled_ns, 1'000'000'000u) << event;
    EXPECT_EQ(readings[event].running_ns, 800'000'000u) << event;
    EXPECT_EQ(readings[event].raw_count, 800'000u) << event;
    EXPECT_EQ(uint64_t{*ScaleCount(readings[event].raw_count, readings[event].enabled_ns,
                                   readings[event].running_ns)},
              1'000'000u);
  }
  EXPECT_EQ(readings[5].raw_count, 500'000'000u);
  EXPECT_EQ(readings[5].running_ns, 1'000'000'000u);
}

TEST(Cci400SetTest, AnEventWithoutATurnYetIsNotCounted) {
  Cci400Board board;
  board.target.multiplex = true;
  auto set = board.Open(
      "cci400/source=0,event=1/,cci400/source=1,event=1/,cci400/source=2,event=1/,"
      "cci400/source=3,event=1/,cci400/source=4,event=1/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(50 * kMillisecond);

  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kCounted);
  EXPECT_EQ(Cci400Board::Read(*set)[4].state, ReadingState::kNotCounted);
}

TEST(Cci400SetTest, StopsAtALimitOfCycles) {
  Cci400Board board("cci400-r1:cycles=500M,event.0x63=1000000");
  auto set = board.Open("cci400/source=3,event=3/,cci400/cycles/");
  int reached = 0;
  ASSERT_TRUE(set->SetCycleLimit({1'000'000'000, [&reached] { ++reached; }}).ok());
  ASSERT_TRUE(set->Enable().ok());

  int polls = 0;
  for (int64_t next_ns = 0; next_ns >= 0; ++polls) {
    board.clock.Advance(next_ns + 1000);  // Each poll a microsecond late.
    next_ns = Cci400Board::AsCci400(*set).Poll();
  }

  EXPECT_EQ(reached, 1);
  const std::vector<RawReading> readings = Cci400Board::Read(*set);
  EXPECT_GE(readings[1].raw_count, 1'000'000'000u);
  EXPECT_LE(readings[1].raw_count, 1'000'000'000u + 1000);
  EXPECT_EQ(readings[0].raw_count, readings[1].raw_count / 500);
  EXPECT_LT(polls, 200);
  EXPECT_EQ(board.Register(0x100), 0x2000u);  // The hardware is stopped.

  // It stays so.
  board.clock.Advance(kSecond);
  EXPECT_EQ(Cci400Board::Read(*set)[1].raw_count, readings[1].raw_count);
  EXPECT_TRUE(set->Disable().ok());
  EXPECT_EQ(reached, 1);
}

TEST(Cci400SetTest, LimitMustComeBeforeEnable) {
  Cci400Board board;
  auto set = board.Open("cci400/cycles/");
  EXPECT_EQ(set->SetCycleLimit({0, nullptr}).code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(set->Enable().ok());
  EXPECT_EQ(set->SetCycleLimit({1, nullptr}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Cci400SetTest, SaysWhatLowNidenLooksLike) {
  Cci400Board board("cci400-r1:niden=0,cycles=500M");
  auto set = board.Open("cci400/source=3,event=3/,cci400/source=4,event=3/");
  EXPECT_THAT(set->Notes(), IsEmpty());
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_THAT(set->Notes(),
              ElementsAre(AllOf(HasSubstr("NIDEN low"), HasSubstr("500000000 cycles"))));
  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kCounted);  // A measured zero.
}

TEST(Cci400SetTest, OneEventThatCountsNeedsNoNote) {
  Cci400Board board("cci400-r1:event.0x63=0,event.0x83=1000");
  auto set = board.Open("cci400/source=3,event=3/,cci400/source=4,event=3/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_THAT(set->Notes(), IsEmpty());
}

TEST(Cci400SetTest, SaysThatTheClockStandsStill) {
  Cci400Board board("cci400-r1:niden=0,preset.0x100=0x20");  // DP is set.
  auto set = board.Open("cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);

  Cci400Board::Read(*set);

  EXPECT_THAT(set->Notes(), ElementsAre(HasSubstr("stands still")));
  EXPECT_EQ(board.Register(0x100) & 0x20, 0x20u);  // Left as it was found.
}

TEST(Cci400SetTest, NoNumbersAfterADeviceError) {
  Cci400Board board("cci400-r1:fault=0xa004");
  auto set = board.backend->Open(board.Resolve("cci400/source=3,event=3/"), {}).value();

  // Saving the registers reads that one too: the counter cannot be opened.
  EXPECT_EQ(set->slots()[0].status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kNotSupported);
}

// RG-7: another tool reprograms a counter in mid-session.
TEST(Cci400SetTest, NoNumbersAfterSomebodyElsesWrite) {
  Cci400Board board;
  auto set = board.Open("cci400/source=3,event=3/,cci400/cycles/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  ASSERT_TRUE(board.device->Write32(0xa000, 0x0c).ok());
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(Cci400Board::Read(*set)[0].state, ReadingState::kNotCounted);
  EXPECT_THAT(set->Notes(), ElementsAre(AllOf(HasSubstr("0xa000"), HasSubstr("somebody else"))));
}

}  // namespace
}  // namespace pmu::server
