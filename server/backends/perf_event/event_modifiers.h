// event_modifiers.h: the letters after ':' as bits of the event.
//
// Pure function, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MODIFIERS_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MODIFIERS_H_

#include "absl/status/status.h"
#include "common/event_spec.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

// u, k, h: count these levels and exclude the others. G, H: count only guests
// or only the host; without them both are counted. D: pinned. `pmu` nullptr:
// software event or tracepoint.
//
// INVALID_ARGUMENT: a level was asked of a PMU that cannot tell levels apart;
// p, which is about sampling and means nothing for counts.
absl::Status ApplyModifiers(const EventModifiers& modifiers, const SysfsPmu* pmu,
                            EventEncoding& encoding);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MODIFIERS_H_
