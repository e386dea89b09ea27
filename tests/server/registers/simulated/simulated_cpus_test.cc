#include "server/registers/simulated/simulated_cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint64_t k40Bits = (uint64_t{1} << 40) - 1;
constexpr uint64_t k48Bits = (uint64_t{1} << 48) - 1;

class SimulatedCpusTest : public ::testing::Test {
 protected:
  void PowerOn(const std::vector<std::string>& texts) {
    auto machine = SimulatedMachine::Create(texts, &clock_);
    ASSERT_TRUE(machine.ok()) << machine.status();
    machine_ = *std::move(machine);
  }
  SimulatedCpus& cpus() { return *machine_->cpus(); }
  uint64_t Read(uint32_t reg, int cpu = 0) {
    absl::StatusOr<uint64_t> read = cpus().Read(cpu, reg);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.value_or(0);
  }
  void Write(uint32_t reg, uint64_t value, int cpu = 0) {
    const absl::Status written = cpus().Write(cpu, reg, value);
    EXPECT_TRUE(written.ok()) << written;
  }

  FakeClock clock_;
  std::unique_ptr<SimulatedMachine> machine_;
};

TEST_F(SimulatedCpusTest, P5CountersShareOneSelectRegister) {
  PowerOn({"p5:event.0x16=1000,event.0x00=400,user=75"});
  Write(0x11, 0x16 | 0xc0 | (0x00 | 0x80) << 16);  // CTR0 both levels, CTR1 user only.

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0x12), 1000u);
  EXPECT_EQ(Read(0x13), 300u);
  EXPECT_EQ(Read(0x11), 0x16u | 0xc0 | 0x80 << 16);

  Write(0x11, 0x16 | 0xc0);  // Stops the second.
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0x12), 2000u);
  EXPECT_EQ(Read(0x13), 300u);
}

TEST_F(SimulatedCpusTest, P5CountsClocksInsteadOfOccurrences) {
  PowerOn({"p5:event.0x18=1000"});
  Write(0x11, 0x18 | 0xc0 | 0x100);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0x12), 3000u);
}

TEST_F(SimulatedCpusTest, P5WrapsAt40Bits) {
  PowerOn({"p5:event.0x16=1000"});
  Write(0x12, k40Bits - 99);
  Write(0x11, 0x16 | 0xc0);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0x12), 900u);
}

TEST_F(SimulatedCpusTest, P6EnableBitIsInTheFirstSelectOnly) {
  PowerOn({"p6:event.0xc0=1000"});
  constexpr uint64_t kInstructions = 0xc0 | 1 << 16 | 1 << 17;
  Write(0x187, kInstructions | 1 << 22);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc2), 0u);
  EXPECT_EQ(Read(0x187), kInstructions);

  Write(0x186, 1 << 22);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc2), 1000u);
  EXPECT_EQ(Read(0xc1), 0u);  // Neither user nor kernel is selected.
}

TEST_F(SimulatedCpusTest, P6PreloadIsSignExtended) {
  PowerOn({"p6"});

  Write(0xc1, 0x80000000);
  EXPECT_EQ(Read(0xc1), 0xff80000000u);
  Write(0xc1, 0x12'7fffffff);
  EXPECT_EQ(Read(0xc1), 0x7fffffffu);
}

TEST_F(SimulatedCpusTest, UserAndKernelAddUp) {
  PowerOn({"p6:event.0xc0=1001,user=33,jitter=50"});
  Write(0x187, 0xc0 | 1 << 16);
  Write(0x186, 0xc0 | 1 << 17 | 1 << 22);
  clock_.Advance(kSecond / 3);
  const uint64_t apart = Read(0xc1) + Read(0xc2);

  PowerOn({"p6:event.0xc0=1001,user=33,jitter=50"});
  Write(0x186, 0xc0 | 1 << 16 | 1 << 17 | 1 << 22);
  clock_.Advance(kSecond / 3);

  EXPECT_EQ(Read(0xc1), apart);
}

TEST_F(SimulatedCpusTest, ArchPerfmonNeedsGlobalControlFromVersion2On) {
  PowerOn({"arch-perfmon:event.0xc0=1000"});
  Write(0x38f, 0);
  Write(0x186, 0xc0 | 3 << 16 | 1 << 22);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc1), 0u);

  Write(0x38f, 1);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc1), 1000u);
}

TEST_F(SimulatedCpusTest, ArchPerfmonVersion1HasNoGlobalControl) {
  PowerOn({"arch-perfmon:version=1,counters=2,width=40,event.0xc0=1000"});
  Write(0x186, 0xc0 | 3 << 16 | 1 << 22);
  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xc1), 1000u);
  EXPECT_EQ(cpus().Read(0, 0x38f).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cpus().Read(0, 0x188).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SimulatedCpusTest, ArchPerfmonWrapsAndSaysSo) {
  PowerOn({"arch-perfmon:event.0xc0=1000"});
  Write(0x4c1, k48Bits - 99);
  Write(0x186, 0xc0 | 3 << 16 | 1 << 22);
  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xc1), 900u);
  EXPECT_EQ(Read(0x38e), 1u);
  Write(0x390, 1);
  EXPECT_EQ(Read(0x38e), 0u);
  EXPECT_FALSE(cpus().Write(0, 0x4c1, uint64_t{1} << 48).ok());
}

// The field trace tests/cases/regs/msr-in-use.txt has this register.
TEST_F(SimulatedCpusTest, ArchPerfmonSaysWhichCountersAreInUse) {
  PowerOn({"arch-perfmon:preset.0x187=0x4300c0,preset.0x188=0x5300c0"});

  EXPECT_EQ(Read(0x392), uint64_t{1} << 63 | 0x6);
}

TEST_F(SimulatedCpusTest, ArchPerfmonFixedCounters) {
  PowerOn({"arch-perfmon:event.0xc0=1000,cycles=3000,nominal=2000"});
  Write(0x38d, 0x333);
  Write(0x38f, uint64_t{7} << 32);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0x309), 1000u);
  EXPECT_EQ(Read(0x30a), 3000u);
  EXPECT_EQ(Read(0x30b), 2000u);
}

TEST_F(SimulatedCpusTest, AmdHasFourOrSixCounters) {
  PowerOn({"amd:event.0xc0=1000"});
  Write(0xc001020a, 0xc0 | 3 << 16 | 1 << 22);
  Write(0xc0010000, 0xc0 | 3 << 16 | 1 << 22);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc001020b), 1000u);
  EXPECT_EQ(Read(0xc0010201), 1000u);  // The old address shows the same counter.

  PowerOn({"amd:counters=4"});
  EXPECT_EQ(cpus().Read(0, 0xc0010200).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(cpus().Read(0, 0xc0010007).ok());
}

TEST_F(SimulatedCpusTest, AmdEventCodesHaveTwelveBits) {
  PowerOn({"amd:event.0x1000000c0=77,event.0xc0=1000"});
  Write(0xc0010200, 0x1000000c0 | 3 << 16 | 1 << 22);

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xc0010201), 77u);
}

TEST_F(SimulatedCpusTest, AperfAndMperfFollowTheirClocksWhileBusy) {
  PowerOn({"aperf-mperf:cycles=3G,nominal=2G,busy=50,busy.1=0,start=0x1000"});

  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xe8), 0x1000u + 1'500'000'000);
  EXPECT_EQ(Read(0xe7), 0x1000u + 1'000'000'000);
  EXPECT_EQ(Read(0xe8, 1), 0x1000u);
  EXPECT_EQ(Read(0x10, 1), 2'000'000'000u);
  EXPECT_EQ(Read(0xce), 20u << 8);
  EXPECT_TRUE(IdentifyCpu(cpus()).has_aperf_mperf);
  EXPECT_FALSE(cpus().Write(0, 0xe8, 0).ok());
}

TEST_F(SimulatedCpusTest, SmisComeOnSchedule) {
  PowerOn({"smi:period=10ms,duration=1ms,start=0xfffffffe"});
  EXPECT_EQ(Read(0x34), 0xfffffffeu);

  clock_.Advance(kSecond / 20);

  EXPECT_EQ(Read(0x34), 3u);  // Five more; 32 bits.
}

// 100 SMIs of 1 ms in a second: with the freeze, cycles miss a tenth.
TEST_F(SimulatedCpusTest, FreezeWhileSmmStopsCyclesButNotAperf) {
  PowerOn({"arch-perfmon:cycles=1G", "aperf-mperf", "smi:period=10ms,duration=1ms"});
  Write(0x186, 0x3c | 3 << 16 | 1 << 22);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc1), 1'000'000'000u);

  const uint64_t smm_before = Read(0xc1);
  const uint64_t aperf_before = Read(0xe8);
  Write(0x1d9, 1 << 14);
  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xc1) - smm_before, 900'000'000u);
  EXPECT_EQ(Read(0xe8) - aperf_before, 1'000'000'000u);
}

TEST_F(SimulatedCpusTest, FreezeFollowsTheSwitch) {
  PowerOn({"arch-perfmon:cycles=1G", "smi:period=10ms,duration=1ms"});
  bool frozen = true;
  cpus().SetFreezeOnSmiSwitch([&frozen] { return frozen; });
  Write(0x186, 0x3c | 3 << 16 | 1 << 22);

  clock_.Advance(kSecond + kSecond / 200);  // Halfway between two SMIs.
  EXPECT_EQ(Read(0xc1), 905'000'000u);

  frozen = false;
  EXPECT_EQ(Read(0x1d9) & 1 << 14, 0u);
  clock_.Advance(kSecond);
  EXPECT_EQ(Read(0xc1), 1'905'000'000u);
}

TEST_F(SimulatedCpusTest, StuckFaultAndZeroRegisters) {
  PowerOn({"aperf-mperf:stuck=0xe8,fault=0xe7@1,zero=0x10"});
  const uint64_t first = Read(0xe8);
  clock_.Advance(kSecond);

  EXPECT_EQ(Read(0xe8), first);
  EXPECT_TRUE(cpus().Read(0, 0xe7).ok());
  EXPECT_EQ(cpus().Read(1, 0xe7).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Read(0x10), 0u);
}

TEST_F(SimulatedCpusTest, OfflineAndAbsentCpus) {
  PowerOn({"p6:cpus=3,offline=1"});

  EXPECT_EQ(cpus().Read(1, 0xc1).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(cpus().Read(3, 0xc1).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(cpus().OnlineCpus(), ElementsAre(0, 2));
}

TEST_F(SimulatedCpusTest, CpuidSaysWhichModelItIs) {
  PowerOn({"p5"});
  EXPECT_EQ(IdentifyCpu(cpus()).family, 5u);
  PowerOn({"p6"});
  EXPECT_EQ(IdentifyCpu(cpus()).family, 6u);
  EXPECT_EQ(IdentifyCpu(cpus()).perfmon_version, 0u);
  PowerOn({"arch-perfmon:version=2,counters=6,width=40"});
  EXPECT_EQ(IdentifyCpu(cpus()).perfmon_version, 2u);
  EXPECT_EQ(IdentifyCpu(cpus()).perfmon_counters, 6u);
  EXPECT_EQ(IdentifyCpu(cpus()).perfmon_width_bits, 40u);
  PowerOn({"amd"});
  EXPECT_EQ(IdentifyCpu(cpus()).vendor, "AuthenticAMD");
  EXPECT_TRUE(IdentifyCpu(cpus()).amd_perfctr_core);
  PowerOn({"amd:counters=4"});
  EXPECT_FALSE(IdentifyCpu(cpus()).amd_perfctr_core);
  EXPECT_TRUE(IdentifyCpu(cpus()).has_tsc);
}

TEST_F(SimulatedCpusTest, RefusesModelsThatCannotBeOneMachine) {
  const auto error = [this](const std::vector<std::string>& texts) {
    return std::string(SimulatedMachine::Create(texts, &clock_).status().message());
  };
  EXPECT_THAT(error({"p5", "amd"}), HasSubstr("both \"p5\" and \"amd\""));
  EXPECT_THAT(error({"smi", "smi"}), HasSubstr("both"));
  EXPECT_THAT(error({"cci400-r0", "cci400-r1"}), HasSubstr("second CCI-400"));
  EXPECT_THAT(error({"p6:cpus=2", "smi:cpus=4"}), HasSubstr("cpus=4"));
}

TEST_F(SimulatedCpusTest, SmiBringsWhatItsCostIsMeasuredWith) {
  PowerOn({"smi"});
  EXPECT_EQ(cpus().Description(), "simulated smi + arch-perfmon + aperf-mperf");
  PowerOn({"smi", "p6"});
  EXPECT_EQ(cpus().Description(), "simulated smi + p6 + aperf-mperf");
}

TEST_F(SimulatedCpusTest, OneMachineCanHaveThemAll) {
  PowerOn({"cci400-r1", "amd", "aperf-mperf", "smi"});

  EXPECT_NE(machine_->cci400(), nullptr);
  EXPECT_EQ(cpus().Description(), "simulated amd + aperf-mperf + smi");
  EXPECT_TRUE(cpus().Read(0, 0xc0010064).ok());
}

}  // namespace
}  // namespace pmu::server
