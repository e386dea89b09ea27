// cpuid_source.h: the CPUID instruction, behind a seam, and what the register
// backends want to know from it.
#ifndef PMU_SERVER_REGISTERS_CPUID_SOURCE_H_
#define PMU_SERVER_REGISTERS_CPUID_SOURCE_H_

#include <cstdint>
#include <string>

namespace pmu::server {

struct CpuidRegisters {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
};

// Implementations are thread-safe.
class CpuidSource {
 public:
  virtual ~CpuidSource() = default;

  // False where the machine has no CPUID (not x86); Query then returns zeros.
  virtual bool available() const = 0;

  // As the instruction on whatever CPU runs the caller.
  virtual CpuidRegisters Query(uint32_t leaf, uint32_t subleaf) const = 0;
};

// The instruction itself. Lives for ever.
const CpuidSource& MachineCpuid();

// Who made the CPU, which one it is, and which registers it advertises. From
// Intel's Software Developer's Manual volume 2A, CPUID, and AMD's
// Architecture Programmer's Manual volume 3, appendix E. Fields of leaves that
// the CPU does not have are 0 and false.
struct CpuIdentity {
  std::string vendor;   // "GenuineIntel", "AuthenticAMD"; "" without CPUID
  uint32_t family = 0;  // extended family added
  uint32_t model = 0;   // extended model put in front
  uint32_t stepping = 0;
  bool has_tsc = false;          // leaf 1 EDX bit 4
  bool has_msr = false;          // leaf 1 EDX bit 5
  bool hypervisor = false;       // leaf 1 ECX bit 31
  bool has_aperf_mperf = false;  // leaf 6 ECX bit 0
  // Leaf 0xA: architectural performance monitoring; version 0: none.
  uint32_t perfmon_version = 0;
  uint32_t perfmon_counters = 0;
  uint32_t perfmon_width_bits = 0;
  uint32_t perfmon_fixed_counters = 0;
  uint32_t perfmon_fixed_width_bits = 0;
  uint32_t base_mhz = 0;          // leaf 0x16 EAX; 0: not said
  bool amd_perfctr_core = false;  // leaf 0x80000001 ECX bit 23: six counters
};

CpuIdentity IdentifyCpu(const CpuidSource& cpuid);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_CPUID_SOURCE_H_
