#include "server/backends/aperf_mperf/aperf_mperf_backend.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/backends/aperf_mperf/availability.h"
#include "server/backends/aperf_mperf/free_running_set.h"
#include "server/machine/cpu_topology.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

absl::Status KernelCountsIt(const char* name) {
  return absl::FailedPreconditionError(
      absl::StrCat("the kernel counts it, which is better: perf_event's msr/", name, "/"));
}

}  // namespace

std::unique_ptr<AperfMperfBackend> AperfMperfBackend::Create(AperfMperfOptions options) {
  std::unique_ptr<AperfMperfBackend> backend(new AperfMperfBackend(std::move(options)));
  backend->Probe();
  return backend;
}

AperfMperfBackend::AperfMperfBackend(AperfMperfOptions options)
    : options_(std::move(options)),
      device_(std::make_unique<GuardedMsrDevice>(
          options_.device, AperfMperfAllowList().Plus(SmiCountAllowList()), options_.observer)) {}

absl::StatusOr<CpuList> AperfMperfBackend::OnlineCpus() const {
  return options_.online_cpus ? options_.online_cpus() : ReadOnlineCpus(options_.root);
}

bool AperfMperfBackend::KernelOffers(const char* name) const {
  return !options_.simulated &&
         FileExists(RootedPath(options_.root,
                               absl::StrCat("/sys/bus/event_source/devices/msr/events/", name)));
}

void AperfMperfBackend::Probe() {
  const CpuIdentity identity = IdentifyCpu(*options_.cpuid);
  const absl::StatusOr<CpuList> online = OnlineCpus();
  const int cpu = online.ok() && !online->empty() ? online->front() : 0;
  absl::Status pair = CheckAperfMperf(identity, *device_, options_.busy_loop, cpu);
  availability_[kAperfRegister] = pair;
  availability_[kMperfRegister] = pair;
  availability_[kSmiCountRegister] = CheckSmiCount(identity, *device_, cpu);
  for (const FreeRunningRegister& counted : FreeRunningRegisters()) {
    if (KernelOffers(counted.name)) availability_[counted.address] = KernelCountsIt(counted.name);
  }
  NominalFrequencySources sources;
  sources.identity = identity;
  sources.device = device_.get();
  sources.cpu = cpu;
  if (!options_.simulated) sources.root = options_.root;
  sources.measure_tsc_hz = [this, cpu] {
    return MeasureTscHz(*device_, *options_.clock, options_.busy_loop, cpu);
  };
  // Without the counters nobody needs it.
  if (pair.ok() || KernelOffers("mperf")) nominal_ = FindNominalFrequency(sources);
}

BackendInfo AperfMperfBackend::Describe() const {
  BackendInfo info;
  info.name = "aperf_mperf";
  info.availability = availability_.at(kAperfRegister);
  info.simulated = options_.simulated;
  PmuInfo pmu;
  pmu.name = kAperfMperfPmu;
  pmu.health = info.availability.ok() ? PmuHealth::kCounts : PmuHealth::kUnavailable;
  pmu.note = std::string(info.availability.message());
  info.pmus.push_back(std::move(pmu));
  if (nominal_) info.facts.push_back({"nominal-frequency", nominal_->source, nominal_->hz, "Hz"});
  return info;
}

std::vector<CounterInfo> AperfMperfBackend::ListCounters() const {
  std::vector<CounterInfo> counters;
  for (const FreeRunningRegister& counted : FreeRunningRegisters()) {
    CounterInfo info;
    info.name = counted.listed_name;
    info.pmu = kAperfMperfPmu;
    info.description = counted.description;
    info.width_bits = counted.width_bits;
    info.combine = CombineRule::kNone;
    info.capabilities = {CounterCapability::kRead};
    info.availability = availability_.at(counted.address);
    info.simulated = options_.simulated;
    counters.push_back(std::move(info));
  }
  return counters;
}

ResolvedEvent AperfMperfBackend::Resolved(const EventSpec& event, const FreeRunningEvent& selected,
                                          CpuList cpus) const {
  ResolvedEvent resolved;
  resolved.text = event.text;
  resolved.pmu = kAperfMperfPmu;
  resolved.pmu_family = kAperfMperfPmu;
  resolved.encoding.config = selected.counted->address;
  resolved.encoding.config1 = selected.raw ? 1 : 0;
  resolved.kind = selected.raw ? CounterKind::kGauge : CounterKind::kDelta;
  resolved.combine = CombineRule::kNone;
  resolved.cpus = std::move(cpus);
  resolved.group = event.group;
  resolved.never_multiplexed = true;
  resolved.simulated = options_.simulated;
  return resolved;
}

absl::StatusOr<std::vector<ResolvedEvent>> AperfMperfBackend::Resolve(
    const EventSpec& event, const CounterTarget& target) const {
  absl::StatusOr<FreeRunningEvent> selected = SelectFreeRunningEvent(event);
  if (!selected.ok()) return selected.status();
  const FreeRunningRegister& counted = *selected->counted;
  if (event.pmu == "msr" && KernelOffers(counted.name)) return absl::NotFoundError("");
  const absl::Status& available = availability_.at(counted.address);
  if (!available.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(event.text, ": ", available.message()));
  }
  if (target.pid != 0 || !target.cgroup.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        event.text, ": ", counted.listed_name, " belongs to a CPU, not to a ",
        target.pid != 0 ? "process" : "cgroup", ": measure system-wide, or choose CPUs with -C"));
  }
  if (!target.cpus.empty()) {
    return std::vector<ResolvedEvent>{Resolved(event, *selected, target.cpus)};
  }
  absl::StatusOr<CpuList> online = OnlineCpus();
  if (!online.ok()) return online.status();
  return std::vector<ResolvedEvent>{Resolved(event, *selected, *std::move(online))};
}

absl::StatusOr<std::unique_ptr<CounterSet>> AperfMperfBackend::Open(
    absl::Span<const ResolvedEvent> events, const CounterTarget&) {
  return std::unique_ptr<CounterSet>(
      std::make_unique<FreeRunningSet>(events, device_.get(), options_.clock));
}

}  // namespace pmu::server
