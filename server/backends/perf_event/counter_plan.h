// counter_plan.h: which descriptors a session needs, before any is opened.
//
// Lays resolved events out over CPUs or threads: a slot for each event in each
// place, and kernel groups, each of which is opened, enabled and read as one.
// Pure functions, safe to call from any thread.
//
// What one kernel group may hold (kernel/events/core.c): events of one place,
// of one hardware PMU, and any number of software events besides. So a group
// of the request becomes a kernel group per place, and, where its events were
// spread over several PMUs ("{cycles,instructions}" on a hybrid machine), one
// per PMU. A group that mixes PMUs in any other way is refused.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_PLAN_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_PLAN_H_

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "server/backends/counter_backend.h"

namespace pmu::server {

// An event to be opened.
struct PlanInput {
  const ResolvedEvent* event = nullptr;
  // Counts for whole CPUs although a process or cgroup was asked for.
  bool ignores_task = false;
  // Not OK: not to be opened, its slots carry this status.
  absl::Status status;
};

struct PlannedMember {
  size_t event = 0;
  size_t slot = 0;
};

// What one leader and its siblings count.
struct PlannedGroup {
  int cpu = -1;             // -1: follows `tid`
  pid_t tid = 0;            // 0: none
  bool for_cgroup = false;  // counts only the session's cgroup
  std::vector<PlannedMember> members;
};

struct CounterPlan {
  std::vector<CounterSlot> slots;
  // In order of CPU or thread: what belongs to one CPU is started together.
  std::vector<PlannedGroup> groups;
  // CPUs on which a cgroup is counted: they need a sentinel each.
  std::vector<int> cgroup_cpus;

  // Sentinels, and the directory of the cgroup, included.
  size_t descriptor_count() const;
};

// `threads`: of the process to follow; empty when none is. `cgroup`: the
// session counts a cgroup.
CounterPlan PlanCounters(absl::Span<const PlanInput> inputs, const std::vector<pid_t>& threads,
                         bool cgroup);

// Software events, tracepoints and whatever else shares their context, such as
// the msr PMU (perf_sw_context): they join any group.
bool IsSoftwareContext(const ResolvedEvent& event);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_PLAN_H_
