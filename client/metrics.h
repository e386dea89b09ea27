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
#include "absl/types/optional.h"
#include "client/aggregate.h"
#include "client/metric_row.h"
#include "common/metric_expr.h"

namespace pmu::client {

// A formula, and how its values are shown (see MetricRow).
struct Metric {
  MetricExpr expr;
  absl::optional<int> decimals;
  absl::optional<double> alert_above;
  // Its events are not added to those asked for; where none of them was
  // measured the metric is left out.
  bool only_where_measured = false;
};

// A metric that is known by name.
struct NamedMetric {
  std::string group;        // what -M takes; several metrics may share it
  std::string definition;   // for MetricExpr::Parse
  std::string description;  // one line
  absl::optional<int> decimals = absl::nullopt;
  absl::optional<double> alert_above = absl::nullopt;
  bool only_where_measured = false;
};

const std::vector<NamedMetric>& NamedMetrics();

// The metrics of a -M argument: a name of NamedMetrics(), or a definition
// "name = formula". NOT_FOUND: no such name; lists the known ones.
// INVALID_ARGUMENT: a malformed formula, with position.
absl::StatusOr<std::vector<Metric>> FindMetrics(absl::string_view argument);

// The events that must be measured for metrics, each once, in order of first
// mention: their inputs, without those that hosts know by themselves (the
// number facts of backends, see BackendFact in host.proto).
std::vector<std::string> EventsOf(const std::vector<Metric>& metrics);

// One row per metric, in the order given, from `report`'s event rows; usually
// put into Report::metrics. For how an input is found see event_match.h. A
// metric without all its inputs has cells without numbers, with the reason.
std::vector<MetricRow> EvaluateMetrics(const std::vector<Metric>& metrics, const Report& report);

}  // namespace pmu::client

#endif  // PMU_CLIENT_METRICS_H_
