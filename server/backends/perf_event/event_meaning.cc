#include "server/backends/perf_event/event_meaning.h"

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
    meaning.per_package = alias->per_package;
    if (alias->snapshot) meaning.kind = CounterKind::kGauge;
  }
  if (pmu_name == "msr") {
    if (config == kThermal) meaning.kind = CounterKind::kGauge;
    if (IsClockOfEveryCpu(config)) meaning.combine = CombineRule::kNone;
  }
  if (meaning.kind == CounterKind::kGauge) meaning.combine = CombineRule::kNone;
  return meaning;
}

}  // namespace pmu::server
