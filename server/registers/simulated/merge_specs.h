// merge_specs.h: several --simulate of one machine, as one.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_MERGE_SPECS_H_
#define PMU_SERVER_REGISTERS_SIMULATED_MERGE_SPECS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

// True for p5, p6, arch-perfmon and amd.
bool HasProgrammableCounters(SimulationModel model);

// What CPU models of one machine share (clocks, busy, faults, SMI schedule and
// so on; not `start`, which each model keeps for itself). INVALID_ARGUMENT: a
// model twice, two with programmable counters, or a key with two values.
// Pure, safe to call from any thread.
absl::StatusOr<SimulationSpec> MergeCpuSpecs(const std::vector<SimulationSpec>& specs);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_MERGE_SPECS_H_
