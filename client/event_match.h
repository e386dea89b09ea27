// event_match.h: the row of a report that counts a given event.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_EVENT_MATCH_H_
#define PMU_CLIENT_EVENT_MATCH_H_

#include "absl/strings/string_view.h"
#include "client/aggregate.h"

namespace pmu::client {

// By the event's text as asked, or by that without modifiers (cycles:u serves
// for cycles); of a hybrid event the sum row. Events of a CCI-400, written as
// cci400/source=S,event=E/, are also found under every other spelling, the
// kernel's PMU CCI_400_r1 included, by what they were resolved to. Null: none.
// The result points into `report`.
const Row* FindRow(const Report& report, absl::string_view event);

}  // namespace pmu::client

#endif  // PMU_CLIENT_EVENT_MATCH_H_
