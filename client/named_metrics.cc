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
  };
  return *metrics;
}

}  // namespace pmu::client
