// placement.h: on which CPUs an event of a PMU is opened for a target.
//
// Reads CPU lists below a root; safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PLACEMENT_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PLACEMENT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/cpu_list.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

struct Placement {
  // Where it is opened; empty: it follows the task.
  CpuList cpus;
  // A process or cgroup was asked for, but the PMU counts for whole CPUs.
  bool ignores_task = false;
};

// `pmu` nullptr: any CPU has it (software events, tracepoints).
//
// Only online CPUs; of those, the PMU's own; of those, the ones asked for.
// INVALID_ARGUMENT: the target contradicts itself, or names CPUs that are
// offline or absent (they are named). FAILED_PRECONDITION: no CPU is left, or
// the CPU files are unreadable.
absl::StatusOr<Placement> PlaceEvent(absl::string_view root, const SysfsPmu* pmu,
                                     const CounterTarget& target);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PLACEMENT_H_
