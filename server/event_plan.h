// event_plan.h: which backend counts which event of a request.
//
// Every event is offered to the backends in their order; the first that knows
// it gets it. An event that no backend can count stays in the plan with the
// reason: it takes no other event down.
//
// Pure but for asking the backends; safe to call from any thread.
#ifndef PMU_SERVER_EVENT_PLAN_H_
#define PMU_SERVER_EVENT_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/event_spec.h"
#include "server/backends/counter_backend.h"

namespace pmu::server {

inline constexpr int kNoBackend = -1;

// One requested event on one PMU instance.
struct PlannedEvent {
  ResolvedEvent event;
  int requested_index = 0;   // into the request's events
  int backend = kNoBackend;  // into the list of backends
  std::string backend_name;
  // Not OK: cannot be counted here, and why. Opening may set it, too.
  absl::Status support;
};

// In order of the request. Errors:
//   INVALID_ARGUMENT    an event is malformed, or a group has members of
//                       different backends that may be multiplexed
//   RESOURCE_EXHAUSTED  more than kMaxResolvedEvents
absl::StatusOr<std::vector<PlannedEvent>> PlanEvents(absl::Span<CounterBackend* const> backends,
                                                     const std::vector<EventSpec>& requested,
                                                     const CounterTarget& target);

// At least how many counters opening the plan takes: one for each event and
// CPU. Of a process, one for each event: its threads are not known here.
size_t CountersNeeded(const std::vector<PlannedEvent>& plan);

}  // namespace pmu::server

#endif  // PMU_SERVER_EVENT_PLAN_H_
