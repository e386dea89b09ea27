// aperf_mperf_backend.h: the effective frequency counters, and the SMI count.
//
// Free-running registers of each CPU, only ever read. Where the kernel's msr
// PMU offers them, perf_event counts them and this backend says so; see
// docs/aperf_mperf.md.
//
// Thread-safe. Sets it opens must not outlive it.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_APERF_MPERF_BACKEND_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_APERF_MPERF_BACKEND_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "common/cpu_list.h"
#include "server/backends/aperf_mperf/busy_loop.h"
#include "server/backends/aperf_mperf/free_running_event.h"
#include "server/backends/aperf_mperf/nominal_frequency.h"
#include "server/backends/counter_backend.h"
#include "server/registers/allow_list.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/guarded_msr_device.h"
#include "server/registers/msr_device.h"
#include "server/registers/register_access.h"

namespace pmu::server {

struct AperfMperfOptions {
  // Put before /sys; "" on a real machine. Of simulated hardware nothing of
  // /sys is asked but, without `online_cpus`, the online CPUs.
  std::string root;
  MsrDevice* device = nullptr;  // not owned; accessed through an allow-list
  const CpuidSource* cpuid = nullptr;
  const Clock* clock = nullptr;
  BusyLoop busy_loop = KeepCpuBusy;
  std::function<absl::StatusOr<CpuList>()> online_cpus;  // empty: those of root
  bool simulated = false;
  RegisterAccessObserver observer;  // may be empty
};

class AperfMperfBackend final : public CounterBackend {
 public:
  // Tries the registers out on the first online CPU: blocks for a few
  // milliseconds. Never fails: hardware without them is a backend that is
  // listed as unavailable, with the reason.
  static std::unique_ptr<AperfMperfBackend> Create(AperfMperfOptions options);

  BackendInfo Describe() const override;
  std::vector<CounterInfo> ListCounters() const override;
  // Of other targets than CPUs: FAILED_PRECONDITION.
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                     const CounterTarget& target) const override;
  absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                   const CounterTarget& target) override;

 private:
  explicit AperfMperfBackend(AperfMperfOptions options);

  void Probe();
  absl::StatusOr<CpuList> OnlineCpus() const;
  // The kernel's msr PMU has an event of that name.
  bool KernelOffers(const char* name) const;
  ResolvedEvent Resolved(const EventSpec& event, const FreeRunningEvent& selected,
                         CpuList cpus) const;

  const AperfMperfOptions options_;
  const std::unique_ptr<GuardedMsrDevice> device_;
  std::map<uint32_t, absl::Status> availability_;  // by register; fixed after Create
  absl::optional<NominalFrequency> nominal_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_APERF_MPERF_BACKEND_H_
