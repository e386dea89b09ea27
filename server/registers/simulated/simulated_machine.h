// simulated_machine.h: all hardware that pmud --simulate asks for.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_MACHINE_H_
#define PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_MACHINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "server/registers/simulated/simulated_cci400.h"
#include "server/registers/simulated/simulated_cpus.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

// Owns its devices; backends that drive them must not outlive it.
// Thread-safe.
class SimulatedMachine {
 public:
  // `texts`: one per --simulate. `clock` is not owned and must outlive this.
  // INVALID_ARGUMENT: one of them is malformed, or two cannot be combined.
  static absl::StatusOr<std::unique_ptr<SimulatedMachine>> Create(
      const std::vector<std::string>& texts, const Clock* clock);

  // Null when not asked for.
  SimulatedCci400* cci400() const { return cci400_.get(); }
  SimulatedCpus* cpus() const { return cpus_.get(); }
  bool has_smi() const { return has_smi_; }

 private:
  SimulatedMachine() = default;

  void CompleteCpus(std::vector<SimulationSpec>* specs);

  std::unique_ptr<SimulatedCci400> cci400_;
  std::unique_ptr<SimulatedCpus> cpus_;
  bool has_programmable_counters_ = false;
  bool has_aperf_mperf_ = false;
  bool has_smi_ = false;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_MACHINE_H_
