#include "server/backends/aperf_mperf/nominal_frequency.h"

#include "gtest/gtest.h"
#include "tests/fakes/fake_msr_device.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

class NominalFrequencyTest : public ::testing::Test {
 protected:
  NominalFrequencyTest() {
    device_.Set(0, 0x10, 0);  // the CPU is there
    sources_.device = &device_;
    sources_.identity.vendor = "GenuineIntel";
    sources_.root = tree_.root();
    sources_.measure_tsc_hz = [] { return absl::make_optional(2.1e9); };
  }
  void Expect(double hz, const std::string& source) {
    const auto found = FindNominalFrequency(sources_);
    ASSERT_TRUE(found.has_value());
    EXPECT_DOUBLE_EQ(found->hz, hz);
    EXPECT_EQ(found->source, source);
  }

  ScratchTree tree_;
  FakeMsrDevice device_;
  NominalFrequencySources sources_;
};

TEST_F(NominalFrequencyTest, IntelByCpuidBeforeTheRegister) {
  sources_.identity.base_mhz = 2400;
  device_.Set(0, 0xce, 26 << 8);
  Expect(2.4e9, "CPUID leaf 0x16");
}

TEST_F(NominalFrequencyTest, IntelByThePlatformInfoRegister) {
  device_.Set(0, 0xce, 0x80011a0000 | 26 << 8);
  Expect(2.6e9, "MSR 0xCE");
}

TEST_F(NominalFrequencyTest, AmdByItsP0Definition) {
  sources_.identity.vendor = "AuthenticAMD";
  sources_.identity.family = 0x17;
  device_.Set(0, 0xc0010064, uint64_t{1} << 63 | 8 << 8 | 0x88);
  Expect(3.4e9, "P0 definition, MSR 0xC0010064");
}

TEST_F(NominalFrequencyTest, CpufreqWhenTheHardwareDoesNotSay) {
  tree_.Write("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "1900000\n");
  Expect(1.9e9, "cpufreq base_frequency");
}

TEST_F(NominalFrequencyTest, ACpufreqFileThatMakesNoSenseIsPassedOver) {
  tree_.Write("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "<unsupported>\n");
  Expect(2.1e9, "time stamp counter, measured");
}

TEST_F(NominalFrequencyTest, OfSimulatedHardwareNoFileIsAsked) {
  tree_.Write("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "1900000\n");
  sources_.root = absl::nullopt;
  Expect(2.1e9, "time stamp counter, measured");
}

TEST_F(NominalFrequencyTest, NoneFound) {
  sources_.measure_tsc_hz = [] { return absl::optional<double>(); };
  EXPECT_FALSE(FindNominalFrequency(sources_).has_value());
}

TEST(AmdPstateHz, ByFamily) {
  constexpr uint64_t kValid = uint64_t{1} << 63;
  EXPECT_DOUBLE_EQ(AmdPstateHz(0x10, kValid | 1 << 6 | 0x10), 1.6e9);
  EXPECT_DOUBLE_EQ(AmdPstateHz(0x19, kValid | 8 << 8 | 0x92), 3.65e9);
  EXPECT_DOUBLE_EQ(AmdPstateHz(0x1a, kValid | 800), 4e9);
  EXPECT_DOUBLE_EQ(AmdPstateHz(0x17, kValid | 0x92), 0);       // divider 0
  EXPECT_DOUBLE_EQ(AmdPstateHz(0x17, 8 << 8 | 0x92), 0);       // not valid
  EXPECT_DOUBLE_EQ(AmdPstateHz(0xf, kValid | 8 << 8 | 1), 0);  // K8: another layout
}

}  // namespace
}  // namespace pmu::server
