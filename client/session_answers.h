// session_answers.h: an agent's answers, checked, as parts of a HostResult.
//
// What comes over the wire is not believed: sizes, indices and states are
// checked before they are used. Pure; safe from any thread.
#ifndef PMU_CLIENT_SESSION_ANSWERS_H_
#define PMU_CLIENT_SESSION_ANSWERS_H_

#include <vector>

#include "absl/status/status.h"
#include "client/result.h"
#include "proto/pmu/v1/service.pb.h"

namespace pmu::client {

// Sets result->events (still without readings). INTERNAL: a slot refers to no
// event, or the agent answered no events.
absl::Status TakeEvents(const pmu::v1::StartSessionResponse& answer, HostResult* result);

// Sets the readings of result->events from the last sample. INTERNAL: the
// sample does not have one entry per slot.
absl::Status TakeReadings(const std::vector<pmu::v1::CounterSlot>& slots,
                          const pmu::v1::Sample& sample, HostResult* result);

}  // namespace pmu::client

#endif  // PMU_CLIENT_SESSION_ANSWERS_H_
