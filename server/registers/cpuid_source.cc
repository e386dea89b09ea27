#include "server/registers/cpuid_source.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>

namespace pmu::server {
namespace {

class InstructionCpuid final : public CpuidSource {
 public:
#if defined(__x86_64__) || defined(__i386__)
  bool available() const override { return __get_cpuid_max(0, nullptr) != 0; }
  CpuidRegisters Query(uint32_t leaf, uint32_t subleaf) const override {
    CpuidRegisters out;
    if (available()) __cpuid_count(leaf, subleaf, out.eax, out.ebx, out.ecx, out.edx);
    return out;
  }
#else
  bool available() const override { return false; }
  CpuidRegisters Query(uint32_t, uint32_t) const override { return {}; }
#endif
};

uint32_t Bits(uint32_t word, int low, int count) { return (word >> low) & ((1u << count) - 1); }

std::string VendorText(const CpuidRegisters& leaf0) {
  const uint32_t words[3] = {leaf0.ebx, leaf0.edx, leaf0.ecx};
  char text[sizeof(words)];
  std::memcpy(text, words, sizeof(words));
  return std::string(text, sizeof(text));
}

void DecodeVersion(const CpuidRegisters& leaf1, CpuIdentity* out) {
  out->stepping = Bits(leaf1.eax, 0, 4);
  out->model = Bits(leaf1.eax, 4, 4);
  out->family = Bits(leaf1.eax, 8, 4);
  // The extended fields count only for these families (SDM, table 3-8 note).
  if (out->family == 6 || out->family == 15) out->model |= Bits(leaf1.eax, 16, 4) << 4;
  if (out->family == 15) out->family += Bits(leaf1.eax, 20, 8);
  out->has_tsc = Bits(leaf1.edx, 4, 1) != 0;
  out->has_msr = Bits(leaf1.edx, 5, 1) != 0;
  out->hypervisor = Bits(leaf1.ecx, 31, 1) != 0;
}

void DecodePerfmon(const CpuidRegisters& leaf, CpuIdentity* out) {
  out->perfmon_version = Bits(leaf.eax, 0, 8);
  out->perfmon_counters = Bits(leaf.eax, 8, 8);
  out->perfmon_width_bits = Bits(leaf.eax, 16, 8);
  if (out->perfmon_version < 2) return;
  out->perfmon_fixed_counters = Bits(leaf.edx, 0, 5);
  out->perfmon_fixed_width_bits = Bits(leaf.edx, 5, 8);
}

}  // namespace

const CpuidSource& MachineCpuid() {
  static const InstructionCpuid source;
  return source;
}

CpuIdentity IdentifyCpu(const CpuidSource& cpuid) {
  CpuIdentity out;
  if (!cpuid.available()) return out;
  const CpuidRegisters leaf0 = cpuid.Query(0, 0);
  out.vendor = VendorText(leaf0);
  if (leaf0.eax >= 1) DecodeVersion(cpuid.Query(1, 0), &out);
  if (leaf0.eax >= 6) out.has_aperf_mperf = Bits(cpuid.Query(6, 0).ecx, 0, 1) != 0;
  if (out.vendor == "GenuineIntel") {
    if (leaf0.eax >= 0xa) DecodePerfmon(cpuid.Query(0xa, 0), &out);
    if (leaf0.eax >= 0x16) out.base_mhz = Bits(cpuid.Query(0x16, 0).eax, 0, 16);
  }
  const uint32_t last_extended = cpuid.Query(0x80000000, 0).eax;
  if (last_extended >= 0x80000001 && last_extended < 0x80010000 && out.vendor == "AuthenticAMD") {
    out.amd_perfctr_core = Bits(cpuid.Query(0x80000001, 0).ecx, 23, 1) != 0;
  }
  return out;
}

}  // namespace pmu::server
