#include "client/smi_cost.h"

#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "client/event_match.h"

namespace pmu::client {
namespace {

constexpr double kBusyShare = 0.5;
// Where a host does not say: slower than any CPU that counts SMIs.
constexpr double kLeastNominalHz = 1e9;

double NominalHz(const HostResult& host) {
  if (!host.identity.has_value()) return kLeastNominalHz;
  for (const pmu::v1::Backend& backend : host.identity->backends()) {
    for (const pmu::v1::BackendFact& fact : backend.facts()) {
      if (fact.name() == "nominal-frequency" && fact.number() > 0) return fact.number();
    }
  }
  return kLeastNominalHz;
}

// Of the time of all CPUs, the share in which they ran, at the nominal
// frequency; nullopt: aperf was not counted.
absl::optional<double> RunningShareOf(const HostCell& cell, const HostResult& host) {
  double cycles = 0;
  int cpus = 0;
  for (const PerCpuValue& cpu : cell.cpus) {
    if (!cpu.value.value.has_value()) continue;
    cycles += *cpu.value.value;
    ++cpus;
  }
  const double seconds = static_cast<double>(host.measured_ns) / 1e9;
  if (cpus == 0 || seconds <= 0) return absl::nullopt;
  return cycles / (NominalHz(host) * seconds * cpus);
}

}  // namespace

void NoteIdleCpus(Report* report) {
  const Row* aperf = FindRow(*report, "msr/aperf/");
  if (aperf == nullptr) return;
  for (const HostCell& cell : aperf->cells) {
    HostResult& host = report->result.hosts[static_cast<size_t>(cell.host)];
    const absl::optional<double> share = RunningShareOf(cell, host);
    if (!share.has_value() || *share >= kBusyShare) continue;
    host.notes.push_back(absl::StrFormat(
        "smi-cycles is unreliable: the CPUs were idle most of the time (they ran %.0f%% of it), "
        "and an SMI that meets an idle CPU is not seen; keep them busy while measuring",
        *share * 100));
  }
}

}  // namespace pmu::client
