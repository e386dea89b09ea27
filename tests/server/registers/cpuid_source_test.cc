#include "server/registers/cpuid_source.h"

#include <gtest/gtest.h>

#include <map>

namespace pmu::server {
namespace {

class TableCpuid final : public CpuidSource {
 public:
  bool available() const override { return !leaves.empty(); }
  CpuidRegisters Query(uint32_t leaf, uint32_t) const override {
    const auto found = leaves.find(leaf);
    return found == leaves.end() ? CpuidRegisters{} : found->second;
  }

  std::map<uint32_t, CpuidRegisters> leaves;
};

constexpr CpuidRegisters Intel(uint32_t last_leaf) {
  return {last_leaf, 0x756e6547, 0x6c65746e, 0x49656e69};  // "Genu" "ntel" "ineI"
}

TEST(IdentifyCpuTest, WithoutCpuidThereIsNothing) {
  EXPECT_EQ(IdentifyCpu(TableCpuid()).vendor, "");
}

TEST(IdentifyCpuTest, DecodesASkylake) {
  TableCpuid cpuid;
  cpuid.leaves[0] = Intel(0x16);
  cpuid.leaves[1] = {0x000506e3, 0, 0, 0x30};
  cpuid.leaves[6] = {0, 0, 1, 0};
  cpuid.leaves[0xa] = {0x07300404, 0, 0, 0x603};
  cpuid.leaves[0x16] = {3400, 0, 0, 0};

  const CpuIdentity identity = IdentifyCpu(cpuid);

  EXPECT_EQ(identity.vendor, "GenuineIntel");
  EXPECT_EQ(identity.family, 6u);
  EXPECT_EQ(identity.model, 0x5eu);
  EXPECT_EQ(identity.stepping, 3u);
  EXPECT_TRUE(identity.has_tsc);
  EXPECT_TRUE(identity.has_msr);
  EXPECT_TRUE(identity.has_aperf_mperf);
  EXPECT_EQ(identity.perfmon_version, 4u);
  EXPECT_EQ(identity.perfmon_counters, 4u);
  EXPECT_EQ(identity.perfmon_width_bits, 48u);
  EXPECT_EQ(identity.perfmon_fixed_counters, 3u);
  EXPECT_EQ(identity.perfmon_fixed_width_bits, 48u);
  EXPECT_EQ(identity.base_mhz, 3400u);
}

// A Pentium has leaf 1 only; what lies beyond must not be asked for, for there
// CPUID answers with another leaf's contents.
TEST(IdentifyCpuTest, AsksForNoLeafBeyondTheLast) {
  TableCpuid cpuid;
  cpuid.leaves[0] = Intel(1);
  cpuid.leaves[1] = {0x525, 0, 0, 0x1bf};
  cpuid.leaves[6] = cpuid.leaves[0xa] = cpuid.leaves[0x16] = {~0u, ~0u, ~0u, ~0u};
  cpuid.leaves[0x80000000] = {0x1bf, 0, 0, 0};

  const CpuIdentity identity = IdentifyCpu(cpuid);

  EXPECT_EQ(identity.family, 5u);
  EXPECT_EQ(identity.model, 2u);
  EXPECT_FALSE(identity.has_aperf_mperf);
  EXPECT_EQ(identity.perfmon_version, 0u);
  EXPECT_EQ(identity.base_mhz, 0u);
}

TEST(IdentifyCpuTest, DecodesAmdFamily17h) {
  TableCpuid cpuid;
  cpuid.leaves[0] = {0x10, 0x68747541, 0x444d4163, 0x69746e65};
  cpuid.leaves[1] = {0x00830f10, 0, 0, 0x30};
  cpuid.leaves[0xa] = {0x07300404, 0, 0, 0};  // Not AMD's: to be ignored.
  cpuid.leaves[0x80000000] = {0x80000020, 0, 0, 0};
  cpuid.leaves[0x80000001] = {0, 0, 1u << 23, 0};

  const CpuIdentity identity = IdentifyCpu(cpuid);

  EXPECT_EQ(identity.vendor, "AuthenticAMD");
  EXPECT_EQ(identity.family, 0x17u);
  EXPECT_EQ(identity.model, 0x31u);
  EXPECT_TRUE(identity.amd_perfctr_core);
  EXPECT_EQ(identity.perfmon_version, 0u);
}

}  // namespace
}  // namespace pmu::server
