// generic_events.h: events that have the same name on every machine.
//
// Hardware, cache and software events of perf_event_open(2) under the names
// that perf-list(1) shows, perf's second spellings included. The kernel maps
// them to whatever the machine has.
//
// Constant tables; safe to use from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_GENERIC_EVENTS_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_GENERIC_EVENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu::server {

struct GenericEvent {
  std::string name;
  uint32_t type = 0;  // PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE
  uint64_t config = 0;
  std::string unit;  // "ns" for task-clock and cpu-clock
  std::string description;
};

// By any spelling ("cycles", "cpu-cycles", "cs", "LLC-load-misses"); nullopt:
// no generic event has that name. Software names and cache names know case,
// except that cache names may be in any case, as in perf.
absl::optional<GenericEvent> FindHardwareEvent(absl::string_view name);
absl::optional<GenericEvent> FindSoftwareEvent(absl::string_view name);
absl::optional<GenericEvent> FindCacheEvent(absl::string_view name);

// Each event once, under its first spelling. Of cache events only the
// combinations of cache, operation and result that the kernel has maps for.
std::vector<GenericEvent> HardwareEvents();
std::vector<GenericEvent> SoftwareEvents();
std::vector<GenericEvent> CacheEvents();

// Names under which Arm's core PMUs describe a generic hardware event in
// sysfs: "cpu_cycles" for "cycles". Empty when there is none.
// Source: the architected events of the Arm ARM, as drivers/perf/arm_pmuv3.c
// maps them.
absl::string_view ArmAliasOfHardwareEvent(absl::string_view name);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_GENERIC_EVENTS_H_
