// perf_event_backend.h: counts through the Linux kernel's perf_event.
//
// Everything the kernel's PMU drivers offer: generic hardware, cache and
// software events, named events of sysfs PMUs, raw numbers, tracepoints;
// system-wide, on some CPUs, of a process with all its threads, or of a cgroup.
// docs/perf_event.md is its page for users.
//
// PMUs are read once, at Create: a driver that is loaded later is seen after a
// restart. CPU lists are read afresh for each Resolve and Open.
//
// Thread-safe. Sets it opens must not outlive it.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PERF_EVENT_BACKEND_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PERF_EVENT_BACKEND_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/event_resolver.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "server/backends/perf_event/self_test.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

struct PerfEventOptions {
  // Where /sys and /proc are; "" is the running machine. Another root serves
  // to resolve events for a recorded machine (dry runs); of it, only PMUs that
  // the running kernel has under the same number are ever opened.
  std::string root;
  // nullptr: the running kernel, and its own clock. Must outlive the backend.
  PerfSyscalls* syscalls = nullptr;
  const Clock* clock = nullptr;
  // Whether Create runs the self-test. It is never run for another root, unless
  // `syscalls` are given too.
  bool self_test = true;
};

class PerfEventBackend final : public CounterBackend {
 public:
  // Reads the PMUs and runs the self-test (a few milliseconds). Errors: none
  // so far; a machine without perf_event is a backend that Describe() shows as
  // unavailable.
  static absl::StatusOr<std::unique_ptr<PerfEventBackend>> Create(PerfEventOptions options);

  BackendInfo Describe() const override;
  std::vector<CounterInfo> ListCounters() const override;
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                     const CounterTarget& target) const override;
  absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                   const CounterTarget& target) override;

 private:
  explicit PerfEventBackend(PerfEventOptions options);

  // Whether the counters are those of the machine below the root.
  bool drives_root() const { return options_.root.empty() || options_.syscalls != nullptr; }
  PmuInfo DescribePmu(const SysfsPmu& pmu) const;
  absl::Status CheckOpenable(const ResolvedEvent& event) const;

  const PerfEventOptions options_;
  PerfSyscalls* const syscalls_;
  const Clock* const clock_;
  const PmuRegistry registry_;
  const std::map<std::string, SelfTestResult> health_;
  const EventResolver resolver_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PERF_EVENT_BACKEND_H_
