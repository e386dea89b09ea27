// metric_row.h: the values of one metric over all hosts of a report.
//
// Plain data, computed by EvaluateMetrics (metrics.h). Copyable;
// thread-compatible.
#ifndef PMU_CLIENT_METRIC_ROW_H_
#define PMU_CLIENT_METRIC_ROW_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/metric_expr.h"
#include "common/statistics.h"

namespace pmu::client {

struct MetricCpuValue {
  int cpu = 0;
  MetricValue metric;
};

// One host's share of a row.
struct MetricCell {
  MetricValue metric;                // Scope::kPerHost
  std::vector<MetricCpuValue> cpus;  // Scope::kPerCpu
};

struct MetricRow {
  std::string name;
  std::string unit;
  std::string formula;
  MetricExpr::Scope scope = MetricExpr::Scope::kPerHost;
  // One of its inputs comes from simulated hardware, on some host.
  bool simulated = false;
  // How people see it: digits after the point (unset: about four digits in
  // all), and above what it calls for attention.
  absl::optional<int> decimals;
  absl::optional<double> alert_above;
  std::vector<MetricCell> cells;  // one per host, in the report's order
  // Of the hosts' values; per CPU: of all CPUs of all hosts.
  Statistics spread;
  int contributing_hosts = 0;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_METRIC_ROW_H_
