#include "server/registers/simulated/merge_specs.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

struct SharedKey {
  const char* name;
  absl::optional<uint64_t> SimulationSpec::*field;
};
constexpr SharedKey kSharedKeys[] = {
    {"seed", &SimulationSpec::seed},          {"jitter", &SimulationSpec::jitter_percent},
    {"rate", &SimulationSpec::rate_hz},       {"cycles", &SimulationSpec::cycles_hz},
    {"cpus", &SimulationSpec::cpus},          {"user", &SimulationSpec::user_percent},
    {"nominal", &SimulationSpec::nominal_hz}, {"tsc", &SimulationSpec::tsc_hz},
    {"counters", &SimulationSpec::counters},  {"width", &SimulationSpec::width_bits},
    {"version", &SimulationSpec::version},    {"busy", &SimulationSpec::busy_percent},
    {"period", &SimulationSpec::period_ns},   {"duration", &SimulationSpec::duration_ns},
};

template <typename T>
void Append(const std::vector<T>& from, std::vector<T>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

absl::Status MergeInto(const SimulationSpec& spec, SimulationSpec* merged) {
  for (const SharedKey& key : kSharedKeys) {
    const absl::optional<uint64_t>& given = spec.*key.field;
    absl::optional<uint64_t>& kept = merged->*key.field;
    if (given.has_value() && kept.has_value() && *given != *kept) {
      return absl::InvalidArgumentError(absl::StrCat("--simulate: ", key.name, "=", *given,
                                                     " in \"", spec.text, "\" contradicts ",
                                                     key.name, "=", *kept, " of the same machine"));
    }
    if (given.has_value()) kept = given;
  }
  Append(spec.stuck, &merged->stuck);
  Append(spec.fault, &merged->fault);
  Append(spec.zero, &merged->zero);
  Append(spec.offline, &merged->offline);
  merged->event_hz.insert(spec.event_hz.begin(), spec.event_hz.end());
  merged->preset.insert(spec.preset.begin(), spec.preset.end());
  merged->busy_percent_of.insert(spec.busy_percent_of.begin(), spec.busy_percent_of.end());
  if (!spec.freeze_file.empty()) merged->freeze_file = spec.freeze_file;
  return absl::OkStatus();
}

absl::Status CheckModels(const std::vector<SimulationSpec>& specs) {
  for (size_t a = 0; a < specs.size(); ++a) {
    for (size_t b = a + 1; b < specs.size(); ++b) {
      const bool both_programmable =
          HasProgrammableCounters(specs[a].model) && HasProgrammableCounters(specs[b].model);
      if (specs[a].model != specs[b].model && !both_programmable) continue;
      return absl::InvalidArgumentError(absl::StrCat("--simulate: one machine cannot have both \"",
                                                     specs[a].text, "\" and \"", specs[b].text,
                                                     "\""));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool HasProgrammableCounters(SimulationModel model) {
  return model == SimulationModel::kI586 || model == SimulationModel::kI686 ||
         model == SimulationModel::kArchPerfmon || model == SimulationModel::kAmd;
}

absl::StatusOr<SimulationSpec> MergeCpuSpecs(const std::vector<SimulationSpec>& specs) {
  absl::Status combinable = CheckModels(specs);
  if (!combinable.ok()) return combinable;
  SimulationSpec merged;
  for (const SimulationSpec& spec : specs) {
    absl::Status done = MergeInto(spec, &merged);
    if (!done.ok()) return done;
  }
  return merged;
}

}  // namespace pmu::server
