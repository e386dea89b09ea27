// event_meaning.h: how the count of a PMU's event is to be read and combined.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MEANING_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MEANING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/event_alias.h"

namespace pmu::server {

struct EventMeaning {
  std::string unit;
  double scale = 1;
  CounterKind kind = CounterKind::kDelta;
  CombineRule combine = CombineRule::kSum;
  bool per_package = false;  // one CPU of a package counts for all of it
  std::vector<std::string> warnings;
};

// From the PMU, the event's number there, and its named event (nullptr: none).
// The msr PMU's clocks (tsc, aperf, mperf, pperf, ptsc) run on every CPU and
// are never added; its thermal margin and every snapshot are gauges.
EventMeaning MeaningOf(absl::string_view pmu_name, uint64_t config, const EventAlias* alias);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_MEANING_H_
