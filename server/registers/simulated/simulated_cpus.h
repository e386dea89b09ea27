// simulated_cpus.h: the CPUs of a simulated machine behind the MsrDevice and
// CpuidSource seams, put together from any of the models p5, p6, arch-perfmon,
// amd (one of these), aperf-mperf and smi.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUS_H_
#define PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "common/cpu_list.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/msr_device.h"
#include "server/registers/simulated/core_model.h"
#include "server/registers/simulated/msr_block.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

// A register that none of the models has faults (NOT_FOUND), as does a write
// of a read-only one. IA32_DEBUGCTL bit 14, FREEZE_WHILE_SMM, is there with
// the model smi: while it is set, event counters stand still in SMM and
// APERF, MPERF and TSC go on.
//
// Thread-safe.
class SimulatedCpus final : public MsrDevice, public CpuidSource {
 public:
  // Powers on now. `specs`: the CPU models, at least one. `clock` is not owned
  // and must outlive this. INVALID_ARGUMENT: two models that cannot be
  // combined, or two that contradict each other; the message names them.
  static absl::StatusOr<std::unique_ptr<SimulatedCpus>> Create(
      const std::vector<SimulationSpec>& specs, const Clock* clock);
  ~SimulatedCpus() override;

  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override;
  absl::Status Write(int cpu, uint32_t reg, uint64_t value) override;
  std::string Description() const override { return description_; }

  bool available() const override { return true; }
  CpuidRegisters Query(uint32_t leaf, uint32_t subleaf) const override;

  // The CPUs that are online.
  CpuList OnlineCpus() const;

  // Asked at every register access for the state of the freeze_on_smi switch,
  // which then decides for all CPUs instead of IA32_DEBUGCTL. With the key
  // freeze-file the first character of that file is the switch.
  void SetFreezeOnSmiSwitch(std::function<bool()> freeze_switch);

  // For tests: what a CPU's rates are.
  const CoreModel& model_of(int cpu) const;

 private:
  struct Core;

  SimulatedCpus(const std::vector<SimulationSpec>& specs, const Clock* clock);
  void BuildCore(int cpu, const std::vector<SimulationSpec>& specs);
  void AddBlocks(const SimulationSpec& spec, Core* core);
  absl::StatusOr<Core*> CoreOf(int cpu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  CoreTime Now(Core* core) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Concerns(const std::vector<RegisterFault>& faults, int cpu, uint32_t reg) const;
  absl::Status NoRegister(int cpu, uint32_t reg, bool is_write) const;

  const Clock* const clock_;
  const int64_t power_on_ns_;
  std::string description_;
  SimulationSpec merged_;      // what the models share
  const SimulationSpec* pmc_;  // the model with programmable counters, or none
  bool has_aperf_mperf_ = false;
  bool has_smi_ = false;
  std::vector<SimulationSpec> specs_;

  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Core>> cores_;  // Fixed; contents guarded by mutex_.
  std::function<bool()> freeze_switch_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<int, uint32_t>, uint64_t> stuck_contents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CPUS_H_
