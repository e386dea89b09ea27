// metrics.h: derived values of a report.
//
// A metric is a formula over event names (common/metric_expr.h). Per host, its
// inputs are that host's sums, taken only over CPUs on which every input has a
// number, so that numerator and denominator speak of the same CPUs. Per CPU,
// each CPU's own counts. Ratios of different CPUs or hosts are never averaged
// as counts: the spread over hosts is the spread of the hosts' own values.
// Pure; safe from any thread.
#ifndef PMU_CLIENT_METRICS_H_
#define PMU_CLIENT_METRICS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/aggregate.h"
#include "common/metric_expr.h"
#include "common/statistics.h"

namespace pmu::client {

// A metric that pmuctl knows by name.
struct NamedMetric {
  std::string group;        // what -M takes; several metrics may share it
  std::string definition;   // for MetricExpr::Parse
  std::string description;  // one line
};

const std::vector<NamedMetric>& NamedMetrics();

// The metrics of a -M argument: a name of NamedMetrics(), or a definition
// "name = formula". NOT_FOUND: no such name; says what is near.
// INVALID_ARGUMENT: a malformed formula, with position.
absl::StatusOr<std::vector<MetricExpr>> FindMetrics(absl::string_view argument);

struct MetricCpuValue {
  int cpu = 0;
  MetricValue metric;
};

struct MetricCell {
  MetricValue metric;                // Scope::kPerHost
  std::vector<MetricCpuValue> cpus;  // Scope::kPerCpu
};

struct MetricRow {
  std::string name;
  std::string unit;
  std::string formula;
  MetricExpr::Scope scope = MetricExpr::Scope::kPerHost;
  std::vector<MetricCell> cells;  // one per host, in the report's order
  // Of the hosts' values; per CPU: of all CPUs of all hosts.
  Statistics spread;
  int contributing_hosts = 0;
};

// One row per metric, in the order given. A metric without all its inputs has
// rows without numbers, with the reason.
std::vector<MetricRow> EvaluateMetrics(const std::vector<MetricExpr>& metrics,
                                       const Report& report);

}  // namespace pmu::client

#endif  // PMU_CLIENT_METRICS_H_
