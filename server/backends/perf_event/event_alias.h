// event_alias.h: an event that a PMU describes by name in sysfs.
//
// ROOT/sys/bus/event_source/devices/PMU/events/NAME holds terms,
// "event=0x3c,umask=0x1"; files NAME.scale, NAME.unit, NAME.snapshot and
// NAME.per-pkg say how to read the count (Documentation/ABI/testing/
// sysfs-bus-event_source-devices-events). Drivers and boards get these wrong
// in many ways: a file that makes no sense spoils its own event and no other.
//
// Immutable after parsing; safe to use from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_ALIAS_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_ALIAS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/event_spec.h"

namespace pmu::server {

struct EventAlias {
  std::string name;
  absl::Status status;  // not OK: the event file makes no sense, and why
  std::vector<EventTerm> terms;
  std::vector<std::string> required_terms;  // those written "name=?"
  std::string unit;
  double scale = 1;
  bool snapshot = false;  // a gauge: the value is the state when read
  bool per_package = false;
  std::vector<std::string> warnings;  // an unusable scale or unit
};

// The text of the event file itself.
void ParseAliasTerms(absl::string_view text, EventAlias& alias);

// The text of NAME.scale: a number above 0 in C notation whatever the locale.
// Anything else leaves the scale 1 and a warning: counts are then raw, and the
// unit, which would be wrong, is left out (call after ParseAliasUnit).
void ParseAliasScale(absl::string_view text, EventAlias& alias);

// The text of NAME.unit; control characters and an absurd length are cut.
void ParseAliasUnit(absl::string_view text, EventAlias& alias);

// All events of ROOT/sys/bus/event_source/devices/PMU/events by name; empty
// when there is no such directory.
std::map<std::string, EventAlias> ReadEventAliases(const std::string& events_directory);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_ALIAS_H_
