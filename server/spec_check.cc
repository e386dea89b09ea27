#include "server/spec_check.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/log.h"

namespace pmu::server {
namespace {

absl::Status CheckBytes(absl::string_view field, size_t bytes, size_t limit) {
  if (bytes <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", bytes, " bytes; at most ", limit, " are allowed"));
}

absl::StatusOr<CounterTarget> CheckTarget(const pmu::v1::Target& target) {
  if (target.pid() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("target.pid ", target.pid(), " is no process id; 0 means none"));
  }
  if (target.pid() != 0 && !target.cgroup().empty()) {
    return absl::InvalidArgumentError("target has both pid and cgroup; give one of them");
  }
  if (target.pid() != 0 && !target.cpus().empty()) {
    return absl::InvalidArgumentError(
        "target has both pid and cpus; a process is counted wherever its threads run");
  }
  absl::Status status = CheckBytes("target.cpus", target.cpus().size(), kMaxCpuListBytes);
  status.Update(CheckBytes("target.cgroup", target.cgroup().size(), kMaxCgroupBytes));
  if (!status.ok()) return status;
  if (target.cgroup().find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("target.cgroup holds a zero byte");
  }
  CounterTarget checked;
  checked.pid = target.pid();
  checked.cgroup = target.cgroup();
  absl::StatusOr<CpuList> cpus = ParseCpuList(target.cpus());
  if (!cpus.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("target.cpus: ", cpus.status().message()));
  }
  checked.cpus = *std::move(cpus);
  return checked;
}

absl::Status CheckLabels(const pmu::v1::SessionSpec& spec) {
  if (spec.labels_size() > static_cast<int>(kMaxLabels)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "labels has ", spec.labels_size(), " entries; at most ", kMaxLabels, " are allowed"));
  }
  for (const auto& [key, text] : spec.labels()) {
    absl::Status status = CheckBytes("a key of labels", key.size(), kMaxLabelBytes);
    status.Update(CheckBytes(absl::StrCat("label ", Quoted(key)), text.size(), kMaxLabelBytes));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CheckLease(int64_t lease_ns, const Limits& limits) {
  if (lease_ns == 0) return kDefaultLeaseNs;
  if (lease_ns < 0 || lease_ns > limits.max_lease_ns) {
    return absl::InvalidArgumentError(absl::StrCat("lease_ns ", lease_ns, " is not within 1 and ",
                                                   limits.max_lease_ns, "; 0 takes the default of ",
                                                   kDefaultLeaseNs));
  }
  return lease_ns;
}

absl::Status CheckInterval(int64_t interval_ns, const Limits& limits) {
  if (interval_ns == 0) return absl::OkStatus();
  if (interval_ns < limits.min_interval_ns || interval_ns > kMaxIntervalNs) {
    return absl::InvalidArgumentError(absl::StrCat("interval_ns ", interval_ns, " is not within ",
                                                   limits.min_interval_ns, " and ", kMaxIntervalNs,
                                                   "; 0 means no interval samples"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SessionSpec> CheckSpec(const pmu::v1::SessionSpec& spec, const Limits& limits) {
  absl::Status status = CheckBytes("client_id", spec.client_id().size(), kMaxClientIdBytes);
  status.Update(CheckLabels(spec));
  status.Update(CheckInterval(spec.interval_ns(), limits));
  if (!status.ok()) return status;
  const absl::StatusOr<int64_t> lease_ns = CheckLease(spec.lease_ns(), limits);
  if (!lease_ns.ok()) return lease_ns.status();
  absl::StatusOr<CounterTarget> target = CheckTarget(spec.target());
  if (!target.ok()) return target.status();
  absl::StatusOr<std::vector<EventSpec>> events = ParseEventList(spec.events());
  if (!events.ok()) return events.status();

  SessionSpec checked;
  checked.events_text = spec.events();
  checked.events = *std::move(events);
  checked.target = *std::move(target);
  checked.lease_ns = *lease_ns;
  checked.client_id = spec.client_id();
  checked.freeze_on_smi = spec.freeze_on_smi();
  checked.target.multiplex = spec.multiplex();
  checked.cycle_limit = spec.cycle_limit();
  checked.interval_ns = spec.interval_ns();
  checked.ring_samples = spec.ring_samples();
  checked.labels.insert(spec.labels().begin(), spec.labels().end());
  return checked;
}

}  // namespace

absl::StatusOr<StartRequest> CheckStartRequest(const pmu::v1::StartSessionRequest& request,
                                               const Limits& limits) {
  const absl::Status status =
      CheckBytes("idempotency_key", request.idempotency_key().size(), kMaxIdempotencyKeyBytes);
  if (!status.ok()) return status;
  absl::StatusOr<SessionSpec> spec = CheckSpec(request.spec(), limits);
  if (!spec.ok()) return spec.status();

  StartRequest checked;
  checked.spec = *std::move(spec);
  checked.idempotency_key = request.idempotency_key();
  checked.dry_run = request.dry_run();
  checked.start_now = request.start_now();
  return checked;
}

}  // namespace pmu::server
