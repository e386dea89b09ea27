#include "server/backends/perf_event/event_meaning.h"

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "server/machine/cpu_topology.h"

namespace pmu::server {
namespace {

// The events of the msr PMU (arch/x86/events/msr.c, enum perf_msr_id).
enum MsrEvent { kTsc = 0, kAperf = 1, kMperf = 2, kPperf = 3, kPtsc = 5, kThermal = 7 };

bool IsClockOfEveryCpu(uint64_t config) {
  return config == kTsc || config == kAperf || config == kMperf || config == kPperf ||
         config == kPtsc;
}

}  // namespace

EventMeaning MeaningOf(absl::string_view pmu_name, uint64_t config, const EventAlias* alias) {
  EventMeaning meaning;
  if (alias != nullptr) {
    meaning.unit = alias->unit;
    meaning.scale = alias->scale;
    meaning.warnings = alias->warnings;
    if (alias->snapshot) meaning.kind = CounterKind::kGauge;
  }
  if (pmu_name == "msr") {
    if (config == kThermal) meaning.kind = CounterKind::kGauge;
    if (IsClockOfEveryCpu(config)) meaning.combine = CombineRule::kNone;
  }
  if (meaning.kind == CounterKind::kGauge) meaning.combine = CombineRule::kNone;
  return meaning;
}

CounterDomain DomainOf(absl::string_view root, const SysfsPmu& pmu) {
  if (!pmu.has_cpumask) return CounterDomain::kCpu;
  if (pmu.name == "cstate_core") return CounterDomain::kCore;
  const absl::StatusOr<absl::optional<CpuList>> own = pmu.ReadCpus();
  if (!own.ok() || !own->has_value()) return CounterDomain::kSystem;
  const absl::StatusOr<CpuList> online = ReadOnlineCpus(root);
  const int packages = online.ok() ? CountPackages(ReadPackageIds(root, *online)) : 0;
  const int instances = static_cast<int>((*own)->size());
  if (packages == 0) return instances > 1 ? CounterDomain::kPackage : CounterDomain::kSystem;
  if (instances == packages) return CounterDomain::kPackage;
  return instances < packages ? CounterDomain::kSystem : CounterDomain::kDie;
}

}  // namespace pmu::server
