#include "client/cli/interval_printer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/aggregate.h"
#include "client/metrics.h"
#include "client/report/csv.h"
#include "client/report/json.h"

namespace pmu::cli {
IntervalPrinter::IntervalPrinter(const RunOptions& options, const std::vector<std::string>& hosts,
                                 size_t width, Write write)
    : options_(options), table_(hosts, width, options.per_cpu), write_(std::move(write)) {}

void IntervalPrinter::Print(const client::Interval& interval) {
  if (!status_.ok()) return;
  status_ = write_(Text(interval));
  first_ = false;
}

std::string IntervalPrinter::Text(const client::Interval& interval) {
  client::Report report = client::Aggregate(interval.result);
  report.metrics = client::EvaluateMetrics(options_.metrics, report);
  switch (options_.format) {
    case Format::kJson:
      return client::PrintIntervalJson(interval, report);
    case Format::kCsv: {
      client::CsvOptions csv = {options_.separator, options_.per_cpu};
      csv.titles = first_;
      csv.interval = absl::StrCat(interval.number);
      csv.time_s = absl::StrFormat("%.9f", static_cast<double>(interval.end_ns) / 1e9);
      return client::PrintCsv(report, csv);
    }
    case Format::kTable:
      break;
  }
  if (options_.metrics_only) report.rows.clear();
  return table_.Lines(interval, report);
}

}  // namespace pmu::cli
