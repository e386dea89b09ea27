// The metrics that pmuctl knows by name.
#include "client/metrics.h"

namespace pmu::client {

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
  };
  return *metrics;
}

}  // namespace pmu::client
