#include "server/event_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/limits.h"
#include "server/log.h"

namespace pmu::server {
namespace {

struct NamedBackend {
  CounterBackend* backend;
  std::string name;
};

// The row of an event that nobody can count.
PlannedEvent Unsupported(const EventSpec& spec, int requested_index, absl::Status reason) {
  PlannedEvent planned;
  planned.event.text = spec.text;
  planned.event.group = spec.group;
  planned.requested_index = requested_index;
  planned.support = std::move(reason);
  return planned;
}

// Appends the rows of one event to `plan`. INVALID_ARGUMENT as PlanEvents.
absl::Status PlanOne(absl::Span<const NamedBackend> backends, const EventSpec& spec,
                     int requested_index, const CounterTarget& target,
                     std::vector<PlannedEvent>* plan) {
  absl::Status unknown = absl::NotFoundError("no backend of this agent knows it");
  for (size_t i = 0; i < backends.size(); ++i) {
    absl::StatusOr<std::vector<ResolvedEvent>> resolved =
        backends[i].backend->Resolve(spec, target);
    if (absl::IsNotFound(resolved.status())) {
      // The last backend that has something to say about it has the last word.
      if (!resolved.status().message().empty()) unknown = resolved.status();
      continue;
    }
    if (absl::IsInvalidArgument(resolved.status())) return resolved.status();
    const int backend = static_cast<int>(i);
    const std::string& name = backends[i].name;
    if (!resolved.ok()) {
      plan->push_back(Unsupported(spec, requested_index, resolved.status()));
      plan->back().backend_name = name;
      return absl::OkStatus();
    }
    for (ResolvedEvent& event : *resolved) {
      plan->push_back({std::move(event), requested_index, backend, name, absl::OkStatus()});
    }
    return absl::OkStatus();
  }
  plan->push_back(Unsupported(spec, requested_index, std::move(unknown)));
  return absl::OkStatus();
}

// A group is scheduled as one unit, which only one backend can do. Events that
// always count are in time with any.
absl::Status CheckGroups(const std::vector<PlannedEvent>& plan) {
  std::map<int, const PlannedEvent*> first_of_group;  // that shares a counter
  for (const PlannedEvent& planned : plan) {
    if (planned.event.group == 0 || planned.backend == kNoBackend) continue;
    if (planned.event.never_multiplexed) continue;
    const PlannedEvent& first =
        *first_of_group.emplace(planned.event.group, &planned).first->second;
    if (first.backend == planned.backend) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "group ", planned.event.group, ": ", Quoted(first.event.text), " is counted by ",
        first.backend_name, " and ", Quoted(planned.event.text), " by ", planned.backend_name,
        "; the events of a group are read together, so take them out of one group"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<PlannedEvent>> PlanEvents(absl::Span<CounterBackend* const> backends,
                                                     const std::vector<EventSpec>& requested,
                                                     const CounterTarget& target) {
  std::vector<NamedBackend> named;
  for (CounterBackend* backend : backends) named.push_back({backend, backend->Describe().name});
  std::vector<PlannedEvent> plan;
  for (size_t i = 0; i < requested.size(); ++i) {
    absl::Status status = PlanOne(named, requested[i], static_cast<int>(i), target, &plan);
    if (!status.ok()) return status;
    if (plan.size() > kMaxResolvedEvents) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the events become more than ", kMaxResolvedEvents,
                       " counters on the PMUs of this machine, at ", Quoted(requested[i].text)));
    }
  }
  absl::Status status = CheckGroups(plan);
  if (!status.ok()) return status;
  return plan;
}

size_t CountersNeeded(const std::vector<PlannedEvent>& plan) {
  size_t needed = 0;
  for (const PlannedEvent& planned : plan) {
    if (planned.support.ok()) needed += std::max<size_t>(planned.event.cpus.size(), 1);
  }
  return needed;
}

}  // namespace pmu::server
