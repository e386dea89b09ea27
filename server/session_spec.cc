#include "server/session_spec.h"

#include "absl/strings/str_cat.h"
#include "server/log.h"

namespace pmu::server {

bool SameRequest(const SessionSpec& a, const SessionSpec& b) {
  return a.events_text == b.events_text && a.target.cpus == b.target.cpus &&
         a.target.pid == b.target.pid && a.target.cgroup == b.target.cgroup &&
         a.lease_ns == b.lease_ns && a.client_id == b.client_id && a.labels == b.labels &&
         a.freeze_on_smi == b.freeze_on_smi && a.target.multiplex == b.target.multiplex &&
         a.cycle_limit == b.cycle_limit && a.interval_ns == b.interval_ns &&
         a.ring_samples == b.ring_samples;
}

std::string TargetText(const CounterTarget& target) {
  if (target.pid != 0) return absl::StrCat("pid ", target.pid);
  std::string cpus =
      target.cpus.empty() ? "all CPUs" : absl::StrCat("CPUs ", FormatCpuList(target.cpus));
  if (target.cgroup.empty()) return cpus;
  return absl::StrCat("cgroup ", Quoted(target.cgroup), " on ", cpus);
}

}  // namespace pmu::server
