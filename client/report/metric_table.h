// metric_table.h: the metrics of a report as a table for people.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_METRIC_TABLE_H_
#define PMU_CLIENT_REPORT_METRIC_TABLE_H_

#include <string>

#include "absl/types/optional.h"
#include "client/aggregate.h"
#include "client/metric_row.h"
#include "client/report/table.h"

namespace pmu::client {

// A host's number; of a metric of CPUs, the mean over its CPUs.
absl::optional<double> HostNumber(const MetricCell& cell);

// One line per metric, hosts as columns where they fit into the width, else
// the spread over hosts and who stands at its ends. Metrics of CPUs show the
// mean of the host's CPUs, and below it each CPU when there are few or
// --per-cpu asks for it. "" when the report has no metrics.
std::string MetricTable(const Report& report, const TableOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_METRIC_TABLE_H_
