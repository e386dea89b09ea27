#include "client/session_answers.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::client {
namespace {

ReadingState FromProto(pmu::v1::ReadingState state) {
  switch (state) {
    case pmu::v1::READING_STATE_COUNTED:
      return ReadingState::kCounted;
    case pmu::v1::READING_STATE_NOT_SUPPORTED:
      return ReadingState::kNotSupported;
    case pmu::v1::READING_STATE_OVERFLOW_SUSPECTED:
      return ReadingState::kOverflowSuspected;
    case pmu::v1::READING_STATE_CPU_LOST:
      return ReadingState::kCpuLost;
    default:
      // Unknown states of newer agents: no number rather than a wrong one.
      return ReadingState::kNotCounted;
  }
}

}  // namespace

absl::Status TakeEvents(const pmu::v1::StartSessionResponse& answer, HostResult* result) {
  if (answer.events().empty()) {
    return absl::InternalError("agent answered StartSession without events");
  }
  for (const pmu::v1::CounterSlot& slot : answer.slots()) {
    if (slot.event() >= static_cast<uint32_t>(answer.events_size())) {
      return absl::InternalError(absl::StrCat("agent answered a counter of event number ",
                                              slot.event(), ", but only ", answer.events_size(),
                                              " events"));
    }
  }
  result->events.clear();
  for (const pmu::v1::ResolvedEvent& event : answer.events()) {
    result->events.push_back(EventResult{event, {}});
  }
  return absl::OkStatus();
}

absl::Status TakeReadings(const std::vector<pmu::v1::CounterSlot>& slots,
                          const pmu::v1::Sample& sample, HostResult* result) {
  const int expected = static_cast<int>(slots.size());
  if (sample.raw_count_size() != expected || sample.enabled_ns_size() != expected ||
      sample.running_ns_size() != expected || sample.state_size() != expected) {
    return absl::InternalError(absl::StrCat("agent answered a sample of ", sample.raw_count_size(),
                                            " readings for ", expected, " counters"));
  }
  const bool has_tsc = sample.tsc_cycles_size() == expected;  // else none has
  for (EventResult& event : result->events) event.readings.clear();
  for (int i = 0; i < expected; ++i) {
    const pmu::v1::CounterSlot& slot = slots[i];
    CounterReading reading;
    reading.cpu = slot.cpu();
    reading.tid = slot.tid();
    reading.error = slot.error();
    reading.reading.raw_count = sample.raw_count(i);
    reading.reading.enabled_ns = sample.enabled_ns(i);
    reading.reading.running_ns = sample.running_ns(i);
    reading.reading.state = FromProto(sample.state(i));
    if (has_tsc) reading.reading.tsc_cycles = sample.tsc_cycles(i);
    result->events[slot.event()].readings.push_back(std::move(reading));
  }
  return absl::OkStatus();
}

}  // namespace pmu::client
