// group_opener.h: opens one kernel group, as far as the kernel allows.
//
// Not thread-safe; used by PerfCounterSet::Open only.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_GROUP_OPENER_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_GROUP_OPENER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/counter_plan.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "server/backends/perf_event/privileges.h"

namespace pmu::server {

// What opening needs beside the plan.
struct OpenContext {
  PerfSyscalls* syscalls = nullptr;
  int cgroup_fd = -1;  // for groups with for_cgroup
  bool has_core_pmu = true;
  Privileges privileges;  // for error messages
};

// A group as it was opened: descriptors[i] serves slots[i], the leader first.
// Both are empty when nothing could be opened.
struct OpenedGroup {
  std::vector<int> descriptors;
  std::vector<size_t> slots;
  bool grouped = false;  // read as PERF_FORMAT_GROUP
  bool pinned = false;
};

// Opens the members of `planned` disabled, and puts a status into the slots of
// those that cannot be opened:
// - A member that the machine cannot count is left out, the others are still
//   counted together.
// - When the PMU cannot count them all at once (the kernel says EINVAL for a
//   sibling that opens well alone), none is: a part of a group would not be
//   what was asked for.
// RESOURCE_EXHAUSTED: out of descriptors; what was opened is in `opened` all
// the same, for the caller to close.
absl::Status OpenGroup(const OpenContext& context, absl::Span<const ResolvedEvent> events,
                       const PlannedGroup& planned, std::vector<CounterSlot>& slots,
                       OpenedGroup& opened);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_GROUP_OPENER_H_
