// fake_cpuid.h: CPUID with chosen answers. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_CPUID_H_
#define PMU_TESTS_FAKES_FAKE_CPUID_H_

#include <cstdint>
#include <cstring>
#include <map>

#include "absl/strings/string_view.h"
#include "server/registers/cpuid_source.h"

namespace pmu::server {

// Thread-compatible: set up before use.
class FakeCpuid final : public CpuidSource {
 public:
  FakeCpuid() = default;
  // `version`: leaf 1 EAX (family, model, stepping). `vendor`: 12 letters.
  FakeCpuid(absl::string_view vendor, uint32_t version) {
    CpuidRegisters leaf0;
    leaf0.eax = 0x16;
    std::memcpy(&leaf0.ebx, vendor.data(), 4);
    std::memcpy(&leaf0.edx, vendor.data() + 4, 4);
    std::memcpy(&leaf0.ecx, vendor.data() + 8, 4);
    leaves[0] = leaf0;
    leaves[1].eax = version;
    leaves[1].edx = 1 << 4 | 1 << 5;  // TSC, MSR
    leaves[0x80000000].eax = 0x80000008;
  }

  bool available() const override { return !leaves.empty(); }
  CpuidRegisters Query(uint32_t leaf, uint32_t) const override {
    const auto found = leaves.find(leaf);
    return found == leaves.end() ? CpuidRegisters() : found->second;
  }

  std::map<uint32_t, CpuidRegisters> leaves;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_CPUID_H_
