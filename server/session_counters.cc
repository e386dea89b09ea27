#include "server/session_counters.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

// An event whose every slot failed cannot be counted: the first slot says why.
void MarkUnsupported(const std::vector<CounterSlot>& slots, std::vector<PlannedEvent>* plan) {
  // The reason of events that got no slot at all.
  const absl::Status nowhere =
      absl::FailedPreconditionError("there is no CPU or thread on which it could be counted");
  std::vector<bool> open(plan->size(), false);
  for (const CounterSlot& slot : slots) {
    if (slot.status.ok()) open[slot.event] = true;
  }
  for (const CounterSlot& slot : slots) {
    PlannedEvent& planned = (*plan)[slot.event];
    if (!open[slot.event] && planned.support.ok()) planned.support = slot.status;
  }
  for (size_t i = 0; i < plan->size(); ++i) {
    if (!open[i] && (*plan)[i].support.ok()) (*plan)[i].support = nowhere;
  }
}

}  // namespace

absl::StatusOr<SessionCounters> SessionCounters::Open(absl::Span<CounterBackend* const> backends,
                                                      const CounterTarget& target,
                                                      std::vector<PlannedEvent>* plan) {
  SessionCounters counters;
  for (size_t backend = 0; backend < backends.size(); ++backend) {
    std::vector<ResolvedEvent> events;
    std::vector<int> indices;
    for (size_t i = 0; i < plan->size(); ++i) {
      const PlannedEvent& planned = (*plan)[i];
      if (planned.backend != static_cast<int>(backend) || !planned.support.ok()) continue;
      events.push_back(planned.event);
      indices.push_back(static_cast<int>(i));
    }
    if (events.empty()) continue;
    absl::StatusOr<std::unique_ptr<CounterSet>> set = backends[backend]->Open(events, target);
    if (!set.ok()) return set.status();
    counters.Add(*std::move(set), indices);
  }
  MarkUnsupported(counters.slots_, plan);
  return counters;
}

void SessionCounters::Add(std::unique_ptr<CounterSet> set, const std::vector<int>& indices) {
  const size_t first_slot = slots_.size();
  for (const CounterSlot& slot : set->slots()) {
    slots_.push_back(slot);
    slots_.back().event = indices[slot.event];
  }
  sets_.push_back({std::move(set), first_slot});
}

int SessionCounters::descriptor_count() const {
  int count = 0;
  for (const OpenSet& open : sets_) count += open.set->descriptor_count();
  return count;
}

absl::Status SessionCounters::Enable() {
  for (size_t i = 0; i < sets_.size(); ++i) {
    absl::Status status = sets_[i].set->Enable();
    if (status.ok()) continue;
    for (size_t enabled = 0; enabled < i; ++enabled) {
      sets_[enabled].set->Disable().IgnoreError();  // the first error is the one to tell
    }
    return status;
  }
  return absl::OkStatus();
}

absl::Status SessionCounters::Disable() {
  absl::Status first_error;
  for (OpenSet& open : sets_) first_error.Update(open.set->Disable());
  return first_error;
}

void SessionCounters::Upkeep() {
  for (OpenSet& open : sets_) open.set->Upkeep();
}

std::vector<std::string> SessionCounters::Notes() const {
  std::vector<std::string> all;
  for (const OpenSet& open : sets_) {
    for (std::string& note : open.set->Notes()) all.push_back(std::move(note));
  }
  return all;
}

absl::Status SessionCounters::SetCycleLimit(CycleLimit limit) {
  if (sets_.size() != 1) {
    return absl::FailedPreconditionError(
        "cycle_limit: the events are not all counted by one backend with a cycle counter");
  }
  const absl::Status status = sets_.front().set->SetCycleLimit(std::move(limit));
  if (status.ok()) return status;
  return absl::FailedPreconditionError(absl::StrCat("cycle_limit: ", status.message()));
}

void SessionCounters::Read(absl::Span<RawReading> out) {
  for (OpenSet& open : sets_) {
    const size_t count = open.set->slots().size();
    open.set->Read(out.subspan(open.first_slot, count));
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    // No number may come from a counter that is not open, whatever the set says.
    if (!slots_[i].status.ok() && out[i].state != ReadingState::kCpuLost) {
      out[i] = {};
      out[i].state = ReadingState::kNotSupported;
    }
  }
}

}  // namespace pmu::server
