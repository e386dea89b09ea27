// x86_pmc_backend.h: performance counters of x86 CPUs through their
// model-specific registers.
//
// For machines whose kernel does not drive the counters itself: the Pentium,
// P6, kernels without perf_event. Where the kernel's PMU driver or the NMI
// watchdog holds them, the backend lists itself as unavailable, unless the
// machine's owner has allowed it. docs/x86_pmc.md is the user's page.
//
// Thread-safe. Sets it opens must not outlive it.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_BACKEND_H_
#define PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_BACKEND_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "common/cpu_list.h"
#include "server/backends/counter_backend.h"
#include "server/backends/x86_pmc/pmc_driver.h"
#include "server/backends/x86_pmc/pmc_event.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/backends/x86_pmc/pmc_names.h"
#include "server/backends/x86_pmc/x86_pmc_set.h"
#include "server/journal/msr_settings.h"
#include "server/journal/setting_keeper.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/guarded_msr_device.h"
#include "server/registers/msr_device.h"
#include "server/registers/register_access.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

struct X86PmcOptions {
  // Put before /sys and /proc; "" on a real machine.
  std::string root;
  MsrDevice* device = nullptr;  // not owned, as all pointers; accessed through an allow-list
  const CpuidSource* cpuid = nullptr;
  const Clock* clock = nullptr;
  RestoreJournal* journal = nullptr;  // null: nothing is put back after a crash
  bool simulated = false;
  // The machine's owner allows to use counters that the kernel's PMU driver
  // holds, or that are in use.
  bool take_counters = false;
  std::function<absl::StatusOr<CpuList>()> online_cpus;  // empty: those of root
  RegisterAccessObserver observer;                       // may be empty
  // Hears of registers that could not be put back; may be empty.
  std::function<void(const std::string&)> on_problem;
  // How often running counters are polled. Negative: as the width asks for;
  // 0: the owner of a set polls it.
  int64_t poll_interval_ns = -1;
};

class X86PmcBackend final : public CounterBackend, public RestoreTarget {
 public:
  // Reads what the CPU is; writes nothing. Never fails: a machine without
  // counters is a backend that is listed as unavailable.
  static std::unique_ptr<X86PmcBackend> Create(X86PmcOptions options);

  BackendInfo Describe() const override;
  std::vector<CounterInfo> ListCounters() const override;
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                     const CounterTarget& target) const override;
  // Too many events for the counters: the last have slots with
  // RESOURCE_EXHAUSTED, which says what holds the counters.
  absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                   const CounterTarget& target) override;

  // Replays a step of the journal, of the device "msr".
  absl::Status Restore(const RestoreStep& step) override;

 private:
  X86PmcBackend(X86PmcOptions options, CpuIdentity identity, const PmcModel& model);

  absl::Status Availability() const;
  // OK: neither the kernel nor the NMI watchdog holds the counters.
  absl::Status KernelHolds() const;
  absl::StatusOr<CpuList> OnlineCpus() const;
  CounterInfo InfoOf(const NamedPmcEvent& named) const;
  ResolvedEvent Resolved(const EventSpec& event, const PmcSelection& selected, CpuList cpus) const;
  PmcCpuPlan PlanCpu(int cpu, absl::Span<const ResolvedEvent> events) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoCounterLeft(int cpu, const PmcUse& foreign) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::unique_ptr<SettingKeeper::Hold>> HoldRegisters(
      const std::vector<PmcCpuPlan>& cpus);
  void PrepareCpu(PmcCpuPlan* cpu);
  void Release(const std::map<int, uint32_t>& reserved);

  const X86PmcOptions options_;
  const CpuIdentity identity_;
  const PmcModel model_;
  GuardedMsrDevice device_;
  const std::unique_ptr<PmcDriver> driver_;  // null: no counters
  std::unique_ptr<PmcNames> own_names_;
  const PmcNames* names_;
  MsrSettings settings_;
  SettingKeeper keeper_;
  mutable absl::Mutex mutex_;
  // CPU -> counters that open sets have.
  std::map<int, uint32_t> reserved_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_BACKEND_H_
