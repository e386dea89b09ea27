#include "server/backends/perf_event/placement.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "server/machine/cpu_topology.h"

namespace pmu::server {
namespace {

absl::Status CheckTarget(const CounterTarget& target) {
  if (target.pid != 0 && !target.cgroup.empty()) {
    return absl::InvalidArgumentError("a process and a cgroup cannot be counted in one session");
  }
  if (target.pid != 0 && !target.cpus.empty()) {
    return absl::InvalidArgumentError(
        "a process is followed over all CPUs: leave out the CPU list");
  }
  if (target.pid < 0) {
    return absl::InvalidArgumentError(absl::StrCat("pid ", target.pid, " is negative"));
  }
  return absl::OkStatus();
}

absl::Status CheckAskedCpus(absl::string_view root, const CpuList& asked, const CpuList& online) {
  const CpuList missing = SubtractCpuLists(asked, online);
  if (missing.empty()) return absl::OkStatus();
  const absl::StatusOr<CpuList> possible = ReadPossibleCpus(root);
  const CpuList absent = possible.ok() ? SubtractCpuLists(missing, *possible) : CpuList();
  const CpuList offline = SubtractCpuLists(missing, absent);
  std::string message;
  if (!offline.empty()) absl::StrAppend(&message, "CPU ", FormatCpuList(offline), " is offline; ");
  if (!absent.empty()) {
    absl::StrAppend(&message, "CPU ", FormatCpuList(absent), " does not exist; ");
  }
  return absl::InvalidArgumentError(absl::StrCat(message, "online are ", FormatCpuList(online)));
}

absl::Status NoCpuLeft(const SysfsPmu* pmu, const CpuList& own, const CpuList& wanted) {
  return absl::FailedPreconditionError(absl::StrCat(
      "PMU '", pmu == nullptr ? "" : pmu->name, "' is counted on CPU ", FormatCpuList(own),
      " only, and none of these is among the CPUs ", FormatCpuList(wanted),
      pmu != nullptr && pmu->has_cpumask ? " asked for; leave out the CPU list or name one of them"
                                         : " asked for"));
}

}  // namespace

absl::StatusOr<Placement> PlaceEvent(absl::string_view root, const SysfsPmu* pmu,
                                     const CounterTarget& target) {
  absl::Status valid = CheckTarget(target);
  if (!valid.ok()) return valid;
  const bool task_asked = target.pid != 0 || !target.cgroup.empty();
  Placement placement;
  placement.ignores_task = task_asked && pmu != nullptr && pmu->has_cpumask;
  if (target.pid != 0 && !placement.ignores_task) return placement;

  const absl::StatusOr<CpuList> online = ReadOnlineCpus(root);
  if (!online.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot tell which CPUs are online: ", online.status().message()));
  }
  absl::Status asked = CheckAskedCpus(root, target.cpus, *online);
  if (!asked.ok()) return asked;

  placement.cpus = target.cpus.empty() ? *online : target.cpus;
  if (pmu == nullptr) return placement;
  const absl::StatusOr<absl::optional<CpuList>> own = pmu->ReadCpus();
  if (!own.ok()) return own.status();
  if (own->has_value()) {
    const CpuList wanted = placement.cpus;
    placement.cpus = IntersectCpuLists(wanted, **own);
    if (placement.cpus.empty()) return NoCpuLeft(pmu, **own, wanted);
  }
  return placement;
}

}  // namespace pmu::server
