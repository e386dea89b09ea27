// The metrics that pmuctl knows by name.
#include "absl/strings/str_format.h"
#include "client/metrics.h"

namespace pmu::client {
namespace {

// Arm DDI 0470, 2.4.3 "Using the PMU": of the shareable reads that a slave
// interface accepted (0x03), those that a snoop answered (0x0a). The CCI-400
// has four counters, so these are for the interfaces that the user chose.
NamedMetric SnoopHitRate(int interface) {
  NamedMetric metric;
  metric.group = "cci-snoop-hit-rate";
  metric.definition = absl::StrFormat(
      "cci-snoop-hit-rate-S%d [%%] ="
      " 100 * \"cci400/source=%d,event=0xa/\" / \"cci400/source=%d,event=0x3/\"",
      interface, interface, interface);
  metric.description = absl::StrFormat(
      "shareable reads on slave interface %d that hit another cluster's cache; give both events "
      "with -e",
      interface);
  metric.only_where_measured = true;
  return metric;
}

}  // namespace

const std::vector<NamedMetric>& NamedMetrics() {
  static const auto* const metrics = new std::vector<NamedMetric>{
      {"ipc", "ipc = instructions / cycles", "instructions retired per core cycle"},
      {"branch-miss-rate", "branch-miss-rate [%] = 100 * \"branch-misses\" / branches",
       "share of branches predicted wrongly"},
      {"cache-miss-rate", "cache-miss-rate [%] = 100 * \"cache-misses\" / \"cache-references\"",
       "share of last-level cache accesses that miss"},
      {"effective-frequency",
       "effective-frequency [GHz] per cpu ="
       " \"nominal-frequency\" / 1e9 * \"perf-aperf\" / \"perf-mperf\"",
       "clock of each CPU while it was not idle", 3},
      {"frequency-ratio", "frequency-ratio per cpu = \"perf-aperf\" / \"perf-mperf\"",
       "clock of each CPU while it was not idle, over the nominal one"},
      {"smi-cost",
       "smi-cycles [%] = 100 * (\"msr/aperf/\" - cycles) / \"msr/aperf/\""
       " if \"msr/smi/\" > 0 else 0",
       "share of the CPUs' cycles spent in system management mode", 1, 10},
      {"smi-cost", "smi-count = \"msr/smi/\"", "system management interrupts, over all CPUs", 0},
      SnoopHitRate(0),
      SnoopHitRate(1),
      SnoopHitRate(2),
      SnoopHitRate(3),
      SnoopHitRate(4),
  };
  return *metrics;
}

}  // namespace pmu::client
