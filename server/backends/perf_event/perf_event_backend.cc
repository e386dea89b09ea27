#include "server/backends/perf_event/perf_event_backend.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/backends/perf_event/counter_listing.h"
#include "server/backends/perf_event/counter_plan.h"
#include "server/backends/perf_event/descriptor_limit.h"
#include "server/backends/perf_event/group_opener.h"
#include "server/backends/perf_event/perf_counter_set.h"
#include "server/backends/perf_event/privileges.h"
#include "server/backends/perf_event/task_target.h"
#include "server/backends/perf_event/tracepoint.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

std::map<std::string, SelfTestResult> TestIfWanted(const PerfEventOptions& options,
                                                   PerfSyscalls& syscalls,
                                                   const PmuRegistry& registry) {
  const bool same_machine = options.root.empty() || options.syscalls != nullptr;
  if (!options.self_test || !same_machine) return {};
  return RunSelfTest(syscalls, registry, options.root);
}

std::map<std::string, std::string> WarningsOf(const std::map<std::string, SelfTestResult>& health) {
  std::map<std::string, std::string> warnings;
  for (const auto& entry : health) {
    if (entry.second.health != PmuHealth::kImplausible) continue;
    warnings[entry.first] =
        absl::StrCat("do not trust: PMU '", entry.first,
                     "' opens but does not count as it should; ", entry.second.note);
  }
  return warnings;
}

// No event of a process could be opened because none of its threads is left.
bool AllThreadsEnded(const CounterSet& set) {
  const absl::Span<const CounterSlot> slots = set.slots();
  return !slots.empty() && std::all_of(slots.begin(), slots.end(), [](const CounterSlot& slot) {
    return slot.tid != 0 && absl::IsNotFound(slot.status);
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<PerfEventBackend>> PerfEventBackend::Create(
    PerfEventOptions options) {
  return std::unique_ptr<PerfEventBackend>(new PerfEventBackend(std::move(options)));
}

PerfEventBackend::PerfEventBackend(PerfEventOptions options)
    : options_(std::move(options)),
      syscalls_(options_.syscalls != nullptr ? options_.syscalls : &KernelPerfSyscalls()),
      clock_(options_.clock != nullptr ? options_.clock : &SystemClock()),
      registry_(PmuRegistry::Scan(options_.root)),
      health_(TestIfWanted(options_, *syscalls_, registry_)),
      resolver_(options_.root, &registry_, WarningsOf(health_)) {}

PmuInfo PerfEventBackend::DescribePmu(const SysfsPmu& pmu) const {
  PmuInfo info;
  info.name = pmu.name;
  info.type = pmu.type;
  const absl::StatusOr<absl::optional<CpuList>> cpus = pmu.ReadCpus();
  if (cpus.ok() && cpus->has_value()) info.cpus = **cpus;
  const absl::Status usable = pmu.status.ok() ? cpus.status() : pmu.status;
  const auto health = health_.find(pmu.name);
  if (!usable.ok()) {
    info.health = PmuHealth::kUnavailable;
    info.note = std::string(usable.message());
  } else if (health != health_.end()) {
    info.health = health->second.health;
    info.note = health->second.note;
  }
  if (pmu.name == "tracepoint") {
    const absl::Status tracefs = FindTracepointDirectory(options_.root).status();
    if (!tracefs.ok()) {
      info.health = PmuHealth::kUnavailable;
      info.note = std::string(tracefs.message());
    }
  }
  return info;
}

BackendInfo PerfEventBackend::Describe() const {
  BackendInfo info;
  info.name = "perf_event";
  for (const SysfsPmu& pmu : registry_.pmus()) info.pmus.push_back(DescribePmu(pmu));
  // A machine without a core PMU is told so in a row, not by its absence.
  const auto no_core = health_.find("cpu");
  if (no_core != health_.end() && registry_.Find("cpu") == nullptr) {
    PmuInfo cpu;
    cpu.name = "cpu";
    cpu.health = no_core->second.health;
    cpu.note = no_core->second.note;
    info.pmus.push_back(std::move(cpu));
  }
  const auto software = health_.find("software");
  if (software != health_.end() && software->second.health == PmuHealth::kUnavailable) {
    info.availability = absl::FailedPreconditionError(software->second.note);
  }
  return info;
}

std::vector<CounterInfo> PerfEventBackend::ListCounters() const {
  ListingContext context;
  context.root = options_.root;
  context.registry = &registry_;
  context.probe = drives_root() ? syscalls_ : nullptr;
  return ListPerfCounters(context);
}

absl::StatusOr<std::vector<ResolvedEvent>> PerfEventBackend::Resolve(
    const EventSpec& event, const CounterTarget& target) const {
  return resolver_.Resolve(event, target);
}

absl::Status PerfEventBackend::CheckOpenable(const ResolvedEvent& event) const {
  // Numbers up to PERF_TYPE_BREAKPOINT mean the same on every kernel.
  if (drives_root() || event.encoding.type <= PERF_TYPE_BREAKPOINT) return absl::OkStatus();
  const absl::StatusOr<std::string> text =
      ReadTrimmedFile(absl::StrCat("/sys/bus/event_source/devices/", event.pmu, "/type"));
  uint32_t live_type = 0;
  if (text.ok() && absl::SimpleAtoi(*text, &live_type) && live_type == event.encoding.type) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("PMU '", event.pmu, "' of ", options_.root,
                   " is not a PMU of the running machine: only a dry run can use it"));
}

absl::StatusOr<std::unique_ptr<CounterSet>> PerfEventBackend::Open(
    absl::Span<const ResolvedEvent> events, const CounterTarget& target) {
  std::vector<PlanInput> inputs;
  for (const ResolvedEvent& event : events) {
    PlanInput input;
    input.event = &event;
    input.status = CheckOpenable(event);
    const SysfsPmu* const pmu = registry_.Find(event.pmu);
    const bool task_asked = target.pid != 0 || !target.cgroup.empty();
    input.ignores_task = task_asked && pmu != nullptr && pmu->has_cpumask;
    inputs.push_back(std::move(input));
  }

  std::vector<pid_t> threads;
  if (target.pid != 0) {
    absl::StatusOr<std::vector<pid_t>> found = ReadThreads(options_.root, target.pid);
    if (!found.ok()) return found.status();
    threads = *std::move(found);
  }
  DirectoryHandle cgroup;
  if (!target.cgroup.empty()) {
    const absl::StatusOr<std::string> path = FindCgroupDirectory(options_.root, target.cgroup);
    if (!path.ok()) return path.status();
    absl::StatusOr<DirectoryHandle> opened = DirectoryHandle::Open(*path);
    if (!opened.ok()) return opened.status();
    cgroup = *std::move(opened);
  }

  CounterPlan plan = PlanCounters(inputs, threads, !target.cgroup.empty());
  absl::Status room = ReserveDescriptors(plan.descriptor_count());
  if (!room.ok()) return room;
  OpenContext context;
  context.syscalls = syscalls_;
  context.cgroup_fd = cgroup.fd();
  context.has_core_pmu = !registry_.CorePmus().empty();
  context.privileges = ReadPrivileges(options_.root);
  absl::StatusOr<std::unique_ptr<PerfCounterSet>> set =
      PerfCounterSet::Open(context, clock_, events, std::move(plan), std::move(cgroup));
  if (!set.ok()) return set.status();
  if (target.pid != 0 && AllThreadsEnded(**set)) {
    return absl::NotFoundError(absl::StrCat("process ", target.pid, " has ended"));
  }
  return std::unique_ptr<CounterSet>(*std::move(set));
}

}  // namespace pmu::server
