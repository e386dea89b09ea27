// event_spec.h: the grammar of event strings, in perf's syntax.
//
// This is grammar only: which names exist is known on the machine that counts.
// Both sides use it, the client to refuse a malformed string before anything
// is sent, the agent because input from the wire is hostile.
//
//   list     := item { ',' item }
//   item     := event | '{' event { ',' event } '}' [ ':' modifiers ]
//   event    := NAME [ ':' modifiers ]                     cycles:u
//             | RAW [ ':' modifiers ]                      r1a8, r5301c0:u
//             | NAME ':' NAME [ ':' modifiers ]            sched:sched_switch
//             | NAME '/' [ term { ',' term } ] '/' [ [':'] modifiers ]
//                                                          cpu/event=0x3c/u
//   term     := NAME [ '=' VALUE ]
//
// RAW is an 'r' and 1 to 16 hex digits, and nothing more: "ref-cycles" is a
// name. White space around items and terms is ignored. See perf-list(1),
// "EVENT MODIFIERS" and "RAW HARDWARE EVENT DESCRIPTOR".
//
// What follows "NAME:" is modifiers when it holds only their letters ("foo:up"),
// else the event of a tracepoint. A bare term such as r1a8 is told from a name
// only on the machine, where an alias may have that name.
//
// Errors read "event list, position P: what", P being a byte from 1.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_COMMON_EVENT_SPEC_H_
#define PMU_COMMON_EVENT_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu {

// Limits on one event string; beyond them parsing fails.
inline constexpr size_t kMaxEventTextBytes = 64 * 1024;
inline constexpr size_t kMaxEvents = 1024;
inline constexpr size_t kMaxTermsPerEvent = 64;

// The letters after ':' or the closing '/'. When neither user, kernel nor
// hypervisor is set, all levels are counted.
struct EventModifiers {
  bool user = false;        // u
  bool kernel = false;      // k
  bool hypervisor = false;  // h
  bool guest = false;       // G
  bool host = false;        // H
  bool pinned = false;      // D
  int precise = 0;          // number of p's, at most 3; counting refuses any
  std::string letters;      // as written, the event's own before its group's
};

// "event=0x3c", or bare "edge" (has_value false; means 1 to most consumers).
struct EventTerm {
  std::string name;
  std::string value;
  bool has_value = false;
  size_t position = 0;  // of the name in the whole text, from 1
};

// The number in a term's value: decimal, 0x hex, or 0 octal. 1 for a bare
// term. INVALID_ARGUMENT names the term and its position.
absl::StatusOr<uint64_t> EventTermNumber(const EventTerm& term);

enum class EventForm {
  kName,        // cycles, page-faults, L1-dcache-load-misses
  kRaw,         // r1a8
  kPmu,         // pmu/terms/
  kTracepoint,  // system:event
};

struct EventSpec {
  EventForm form = EventForm::kName;
  std::string text;              // as asked, with its own modifiers
  std::string name;              // kName, kRaw: the token; kTracepoint: the event
  std::string pmu;               // kPmu: the PMU; kTracepoint: the system
  uint64_t raw_config = 0;       // kRaw
  std::vector<EventTerm> terms;  // kPmu, in order of writing
  EventModifiers modifiers;      // the group's and its own together
  size_t position = 0;           // in the whole text, from 1
  int group = 0;                 // from 1 in order of writing; 0: in no group
};

// Parses a whole -e string. INVALID_ARGUMENT: what is wrong, the token and its
// position; RESOURCE_EXHAUSTED: above a limit, which is named. Never returns
// an empty list.
absl::StatusOr<std::vector<EventSpec>> ParseEventList(absl::string_view text);

}  // namespace pmu

#endif  // PMU_COMMON_EVENT_SPEC_H_
