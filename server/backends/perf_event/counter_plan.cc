#include "server/backends/perf_event/counter_plan.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace pmu::server {
namespace {

struct Place {
  int cpu;
  pid_t tid;
};

std::vector<Place> PlacesOf(const ResolvedEvent& event, const std::vector<pid_t>& threads) {
  std::vector<Place> places;
  for (const int cpu : event.cpus) places.push_back({cpu, 0});
  if (!event.cpus.empty()) return places;
  for (const pid_t tid : threads) places.push_back({-1, tid});
  return places;
}

std::string PmuKey(const ResolvedEvent& event) {
  return event.pmu.empty() ? "the core PMU" : event.pmu;
}

// The hardware PMUs of one requested group and the events on each.
class GroupPmus {
 public:
  void Add(const PlanInput& input) {
    has_whole_cpu_ |= input.ignores_task;
    has_task_bound_ |= !input.ignores_task;
    if (IsSoftwareContext(*input.event)) return;
    Part& part = parts_[PmuKey(*input.event)];
    part.texts.insert(input.event->text);
    part.cpus.insert(input.event->cpus.begin(), input.event->cpus.end());
  }

  // Not OK: the kernel would refuse to count these as one group.
  absl::Status Check() const {
    if (has_whole_cpu_ && has_task_bound_) {
      return absl::FailedPreconditionError(
          "a group cannot mix events that count system-wide only with events of a process or "
          "cgroup: write them as separate groups");
    }
    for (const auto& a : parts_) {
      for (const auto& b : parts_) {
        if (ShareText(a.second, b.second)) continue;
        return absl::FailedPreconditionError(
            absl::StrCat("a group holds events of one hardware PMU, besides software events; this "
                         "one has '",
                         a.first, "' and '", b.first, "': write them as separate groups"));
      }
    }
    return absl::OkStatus();
  }

  // Which of the kernel groups in one place the event belongs to. Software
  // events go with the first hardware PMU that is counted there.
  std::string PartOf(const ResolvedEvent& event, int cpu) const {
    if (parts_.size() < 2) return "";
    if (!IsSoftwareContext(event)) return PmuKey(event);
    for (const auto& part : parts_) {
      if (part.second.cpus.empty() || part.second.cpus.count(cpu) > 0) return part.first;
    }
    return "";
  }

 private:
  struct Part {
    std::set<std::string> texts;
    std::set<int> cpus;
  };

  static bool ShareText(const Part& a, const Part& b) {
    return std::any_of(a.texts.begin(), a.texts.end(),
                       [&b](const std::string& text) { return b.texts.count(text) > 0; });
  }

  std::map<std::string, Part> parts_;
  bool has_whole_cpu_ = false;
  bool has_task_bound_ = false;
};

// CPU or thread, then order of the request, then PMU.
using GroupKey = std::tuple<int, pid_t, size_t, std::string>;

}  // namespace

bool IsSoftwareContext(const ResolvedEvent& event) {
  return event.encoding.type == PERF_TYPE_SOFTWARE || event.encoding.type == PERF_TYPE_TRACEPOINT ||
         event.encoding.type == PERF_TYPE_BREAKPOINT || event.pmu == "msr" ||
         event.pmu == "kprobe" || event.pmu == "uprobe";
}

size_t CounterPlan::descriptor_count() const {
  size_t count = cgroup_cpus.empty() ? 0 : cgroup_cpus.size() + 1;
  for (const PlannedGroup& group : groups) count += group.members.size();
  return count;
}

CounterPlan PlanCounters(absl::Span<const PlanInput> inputs, const std::vector<pid_t>& threads,
                         bool cgroup) {
  std::map<int, GroupPmus> requested_groups;
  std::map<int, size_t> first_of_group;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int group = inputs[i].event->group;
    if (group == 0) continue;
    first_of_group.emplace(group, i);
    if (inputs[i].status.ok()) requested_groups[group].Add(inputs[i]);
  }
  std::map<int, absl::Status> group_status;
  for (const auto& group : requested_groups) group_status[group.first] = group.second.Check();

  CounterPlan plan;
  std::map<GroupKey, PlannedGroup> groups;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ResolvedEvent& event = *inputs[i].event;
    absl::Status status = inputs[i].status;
    if (status.ok() && event.group != 0) status = group_status[event.group];
    for (const Place& place : PlacesOf(event, threads)) {
      CounterSlot slot;
      slot.event = static_cast<int>(i);
      slot.cpu = place.cpu;
      slot.tid = place.tid;
      slot.status = status;
      plan.slots.push_back(slot);
      if (!status.ok()) continue;
      const size_t order = event.group == 0 ? i : first_of_group[event.group];
      const std::string part =
          event.group == 0 ? "" : requested_groups[event.group].PartOf(event, place.cpu);
      PlannedGroup& group = groups[GroupKey(place.cpu, place.tid, order, part)];
      group.cpu = place.cpu;
      group.tid = place.tid;
      group.for_cgroup = cgroup && !inputs[i].ignores_task;
      group.members.push_back({i, plan.slots.size() - 1});
    }
  }
  std::set<int> cgroup_cpus;
  for (auto& entry : groups) {
    if (entry.second.for_cgroup) cgroup_cpus.insert(entry.second.cpu);
    plan.groups.push_back(std::move(entry.second));
  }
  plan.cgroup_cpus.assign(cgroup_cpus.begin(), cgroup_cpus.end());
  return plan;
}

}  // namespace pmu::server
