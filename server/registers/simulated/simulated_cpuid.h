// simulated_cpuid.h: what CPUID says on a simulated CPU.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUID_H_
#define PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUID_H_

#include <cstdint>

#include "server/registers/cpuid_source.h"
#include "server/registers/simulated/perfmon_blocks.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

struct SimulatedIdentity {
  const SimulationSpec* pmc = nullptr;  // p5, p6, arch-perfmon, amd; or none
  bool has_aperf_mperf = false;
  uint64_t nominal_hz = 0;
};

// p5: a Pentium (family 5, model 2), p6: a Pentium III (6, 8), arch-perfmon: a
// Skylake (6, 0x5e), amd: family 17h model 31h with six counters, family 10h
// model 4 with four. None of them: a Core Duo's family and model (6, 0xe)
// without performance monitoring. Pure functions, safe to call from any thread.
CpuidRegisters SimulatedCpuidLeaf(const SimulatedIdentity& identity, uint32_t leaf,
                                  uint32_t subleaf);

// The counters that the keys version, counters and width ask for.
PerfmonShape PerfmonShapeOf(const SimulationSpec& spec);
int AmdCounters(const SimulationSpec& spec);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUID_H_
