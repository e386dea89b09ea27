#include "server/registers/simulated/simulated_cci400.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"

namespace pmu::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint32_t kPmcr = 0x100;
constexpr uint32_t kCycles = 0x9000;
constexpr uint32_t kCounter0 = 0xa000;
constexpr uint32_t kSelect = 0x0, kCount = 0x4, kControl = 0x8, kOverflow = 0xc;

class SimulatedCci400Test : public ::testing::Test {
 protected:
  void PowerOn(const char* text) {
    device_ = std::make_unique<SimulatedCci400>(ParseSimulationSpec(text).value(), &clock_);
  }
  uint32_t Read(uint32_t offset) { return device_->Read32(offset).value(); }
  void Write(uint32_t offset, uint32_t value) { ASSERT_TRUE(device_->Write32(offset, value).ok()); }
  void StartCounter0(uint32_t select) {
    Write(kCounter0 + kSelect, select);
    Write(kCounter0 + kControl, 1);
    Write(kCycles + kControl, 1);
    Write(kPmcr, 1);
  }

  FakeClock clock_;
  std::unique_ptr<SimulatedCci400> device_;
};

TEST_F(SimulatedCci400Test, RevisionsDiffer) {
  PowerOn("cci400-r0");
  EXPECT_LT(Read(0xfe8) >> 4 & 0xf, 5u);
  PowerOn("cci400-r1");
  EXPECT_GE(Read(0xfe8) >> 4 & 0xf, 5u);
}

TEST_F(SimulatedCci400Test, CounterNumberIsReadOnly) {
  PowerOn("cci400-r1");

  Write(kPmcr, 0xffffffff);

  EXPECT_EQ(Read(kPmcr) >> 11 & 0x1f, 4u);
  Write(kPmcr, 0);
  EXPECT_EQ(Read(kPmcr), 0x2000u);
}

TEST_F(SimulatedCci400Test, CountsOnlyWhenBothEnablesAreSet) {
  PowerOn("cci400-r1:rate=1000");
  Write(kCounter0 + kControl, 1);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 0u);

  Write(kPmcr, 1);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);

  Write(kCounter0 + kControl, 0);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);
}

TEST_F(SimulatedCci400Test, ResetBitsClearAndReadAsZero) {
  PowerOn("cci400-r1:rate=1000,cycles=5000");
  StartCounter0(0x63);
  clock_.Advance(kSecond);

  Write(kPmcr, 1 | 2);
  EXPECT_EQ(Read(kCounter0 + kCount), 0u);
  EXPECT_EQ(Read(kCycles + kCount), 5000u);
  EXPECT_EQ(Read(kPmcr), 0x2001u);

  Write(kPmcr, 1 | 4);
  EXPECT_EQ(Read(kCycles + kCount), 0u);
  EXPECT_EQ(Read(kPmcr), 0x2001u);
}

TEST_F(SimulatedCci400Test, DividerCountsEvery64thClock) {
  PowerOn("cci400-r1:cycles=640000");
  Write(kCycles + kControl, 1);
  Write(kPmcr, 1 | 8);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(kCycles + kCount), 10'000u);
  EXPECT_EQ(Read(kPmcr), 0x2009u);
}

TEST_F(SimulatedCci400Test, WrapSetsTheFlagUntilOneIsWritten) {
  PowerOn("cci400-r1:rate=1000,start=0xffffff00");
  StartCounter0(0x63);
  EXPECT_EQ(Read(kCounter0 + kOverflow), 0u);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(kCounter0 + kCount), 1000u - 0x100);
  EXPECT_EQ(Read(kCounter0 + kOverflow), 1u);
  Write(kCounter0 + kOverflow, 0);
  EXPECT_EQ(Read(kCounter0 + kOverflow), 1u);
  Write(kCounter0 + kOverflow, 1);
  EXPECT_EQ(Read(kCounter0 + kOverflow), 0u);
}

TEST_F(SimulatedCci400Test, NidenLowStopsEventsAndWithDpCycles) {
  PowerOn("cci400-r1:rate=1000,cycles=5000,niden=0");
  StartCounter0(0x63);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 0u);
  EXPECT_EQ(Read(kCycles + kCount), 5000u);

  Write(kPmcr, 1 | 0x20);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCycles + kCount), 5000u);

  device_->SetNiden(true);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);
  EXPECT_EQ(Read(kCycles + kCount), 10'000u);
}

TEST_F(SimulatedCci400Test, CodesOfTheOtherRevisionCountNothing) {
  PowerOn("cci400-r0:rate=1000");
  StartCounter0(5 << 5 | 0x00);  // M0, a code of r1.
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 0u);

  Write(kCounter0 + kSelect, 5 << 5 | 0x14);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);
}

TEST_F(SimulatedCci400Test, SnoopHitsAreNeverMoreThanReads) {
  for (int seed = 0; seed < 50; ++seed) {
    PowerOn(("cci400-r1:seed=" + std::to_string(seed)).c_str());
    for (uint32_t source = 0; source < 5; ++source) {
      EXPECT_LT(device_->EventRateHz(source << 5 | 0x0a), device_->EventRateHz(source << 5 | 3));
    }
  }
}

TEST_F(SimulatedCci400Test, FaultStuckAndZero) {
  PowerOn("cci400-r1:rate=1000,fault=0xb004,stuck=0xa004,zero=0x9004,cycles=5000");
  StartCounter0(0x63);
  clock_.Advance(kSecond);

  EXPECT_EQ(device_->Read32(0xb004).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(kCounter0 + kCount), 1000u);
  EXPECT_EQ(Read(kCycles + kCount), 0u);
}

TEST_F(SimulatedCci400Test, ChecksTheWindow) {
  PowerOn("cci400-r1");

  EXPECT_EQ(device_->Read32(0x10000).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(device_->Write32(0x101, 0).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace pmu::server
