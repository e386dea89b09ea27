#include "server/backends/x86_pmc/pmc_model.h"

#include "gtest/gtest.h"
#include "tests/fakes/fake_cpuid.h"

namespace pmu::server {
namespace {

PmcModel Detect(const FakeCpuid& cpuid, uint64_t capabilities = 0) {
  return DetectPmcModel(IdentifyCpu(cpuid), capabilities);
}

TEST(PmcModel, Pentium) {
  const PmcModel model = Detect(FakeCpuid("GenuineIntel", 0x525));
  EXPECT_EQ(model.pmc_class, PmcClass::kI586);
  EXPECT_EQ(model.counters, 2);
  EXPECT_EQ(model.width_bits, 40);
  EXPECT_TRUE(model.has_tsc);
  EXPECT_EQ(model.SelectRegister(0), 0x11u);
  EXPECT_EQ(model.SelectRegister(1), 0x11u);
  EXPECT_EQ(model.CounterRegister(1), 0x13u);
}

TEST(PmcModel, P6) {
  const PmcModel model = Detect(FakeCpuid("GenuineIntel", 0x686));
  EXPECT_EQ(model.pmc_class, PmcClass::kI686);
  EXPECT_EQ(model.SelectRegister(1), 0x187u);
  EXPECT_EQ(model.CounterRegister(1), 0xc2u);
  EXPECT_EQ(model.preload_bits, 31);
}

TEST(PmcModel, AVirtualMachineWithoutLeafTenHasNoP6Counters) {
  FakeCpuid cpuid("GenuineIntel", 0x806f8);
  cpuid.leaves[1].ecx = 1u << 31;
  EXPECT_EQ(Detect(cpuid).pmc_class, PmcClass::kNone);
}

TEST(PmcModel, Architectural) {
  FakeCpuid cpuid("GenuineIntel", 0x506e3);
  cpuid.leaves[0xa].eax = 4 | 8 << 8 | 48 << 16;
  const PmcModel model = Detect(cpuid, kFullWidthWritesBit);
  EXPECT_EQ(model.pmc_class, PmcClass::kArchitectural);
  EXPECT_EQ(model.counters, 8);
  EXPECT_EQ(model.width_bits, 48);
  EXPECT_TRUE(model.has_global_control());
  EXPECT_TRUE(model.has_global_in_use());
  EXPECT_EQ(model.CounterWriteRegister(3), 0x4c4u);
  EXPECT_EQ(model.preload_bits, 48);

  EXPECT_EQ(Detect(cpuid).CounterWriteRegister(3), 0xc4u);
  EXPECT_EQ(Detect(cpuid).preload_bits, 31);
  cpuid.leaves[0xa].eax = 1 | 2 << 8 | 40 << 16;
  EXPECT_FALSE(Detect(cpuid).has_global_control());
}

TEST(PmcModel, AmdWithFourAndWithSixCounters) {
  FakeCpuid cpuid("AuthenticAMD", 0x00100f42);
  EXPECT_EQ(Detect(cpuid).counters, 4);
  EXPECT_EQ(Detect(cpuid).SelectRegister(3), 0xc0010003u);
  EXPECT_EQ(Detect(cpuid).CounterRegister(3), 0xc0010007u);
  cpuid.leaves[0x80000001].ecx = 1 << 23;
  EXPECT_EQ(Detect(cpuid).counters, 6);
  EXPECT_EQ(Detect(cpuid).SelectRegister(5), 0xc001020au);
  EXPECT_EQ(Detect(cpuid).CounterRegister(5), 0xc001020bu);
  EXPECT_EQ(Detect(cpuid).width_bits, 48);
}

TEST(PmcModel, OthersHaveNone) {
  EXPECT_EQ(Detect(FakeCpuid()).pmc_class, PmcClass::kNone);
  EXPECT_EQ(Detect(FakeCpuid("GenuineIntel", 0xf29)).pmc_class, PmcClass::kNone);  // Pentium 4
  EXPECT_EQ(Detect(FakeCpuid("CentaurHauls", 0x6f2)).pmc_class, PmcClass::kNone);
  EXPECT_STREQ(PmcClassName(PmcClass::kNone), "none");
}

}  // namespace
}  // namespace pmu::server
