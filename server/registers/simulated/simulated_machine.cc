#include "server/registers/simulated/simulated_machine.h"

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "server/registers/simulated/merge_specs.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

absl::StatusOr<std::unique_ptr<SimulatedMachine>> SimulatedMachine::Create(
    const std::vector<std::string>& texts, const Clock* clock) {
  auto machine = absl::WrapUnique(new SimulatedMachine);
  std::vector<SimulationSpec> cpu_specs;
  for (const std::string& text : texts) {
    absl::StatusOr<SimulationSpec> spec = ParseSimulationSpec(text);
    if (!spec.ok()) return spec.status();
    if (spec->model == SimulationModel::kCci400R0 || spec->model == SimulationModel::kCci400R1) {
      if (machine->cci400_ != nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("--simulate: \"", text, "\" is a second CCI-400 of the machine"));
      }
      machine->cci400_ = std::make_unique<SimulatedCci400>(*std::move(spec), clock);
      continue;
    }
    if (HasProgrammableCounters(spec->model)) machine->has_programmable_counters_ = true;
    if (spec->model == SimulationModel::kAperfMperf) machine->has_aperf_mperf_ = true;
    if (spec->model == SimulationModel::kSmi) machine->has_smi_ = true;
    cpu_specs.push_back(*std::move(spec));
  }
  machine->CompleteCpus(&cpu_specs);
  if (cpu_specs.empty()) return machine;
  absl::StatusOr<std::unique_ptr<SimulatedCpus>> cpus = SimulatedCpus::Create(cpu_specs, clock);
  if (!cpus.ok()) return cpus.status();
  machine->cpus_ = *std::move(cpus);
  return machine;
}

// CPUs that count their SMIs are Intel's of the last fifteen years: these have
// the registers that the cost of an SMI is measured with, too.
void SimulatedMachine::CompleteCpus(std::vector<SimulationSpec>* specs) {
  if (!has_smi_) return;
  if (!has_programmable_counters_) specs->push_back(*ParseSimulationSpec("arch-perfmon"));
  if (!has_aperf_mperf_) specs->push_back(*ParseSimulationSpec("aperf-mperf"));
  has_programmable_counters_ = true;
  has_aperf_mperf_ = true;
}

}  // namespace pmu::server
