#include "client/report/repeats.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/report/footer.h"
#include "client/report/json.h"
#include "client/report/json_parts.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"

namespace pmu::client {
namespace {

RepeatedValue& ValueFor(const std::string& host, RepeatedRow* row) {
  for (RepeatedValue& value : row->values) {
    if (value.host == host) return value;
  }
  row->values.push_back({host, {}});
  return row->values.back();
}

std::string RunsText(const Repeats& repeats, const RepeatsOptions& options) {
  const auto runs = static_cast<int64_t>(repeats.reports().size());
  std::string text = absl::StrCat(runs, runs == 1 ? " run" : " runs");
  if (runs < options.wanted_runs) absl::StrAppend(&text, " of ", options.wanted_runs);
  if (options.warmup_runs > 0) {
    absl::StrAppend(&text, ", after ", options.warmup_runs, " to warm up, which are not counted");
  }
  if (options.interrupted) absl::StrAppend(&text, "; then interrupted");
  return text + "\n";
}

// "+- 12.3 (0.4%)"; "-" for one run alone.
std::string ConfidenceText(const Statistics& runs, double scale) {
  if (runs.count() < 2) return "-";
  std::string text = SignificantText(runs.confidence95() * scale);
  if (runs.mean() != 0) {
    const double percent = 100 * runs.confidence95() / std::abs(runs.mean());
    absl::StrAppend(&text, " (", DecimalText(percent, 1), "%)");
  }
  return text;
}

// Times counted in nanoseconds are shown in milliseconds, as in other tables.
double ShownScale(const RepeatedRow& row) { return row.unit == "ns" ? 1e-6 : 1; }
std::string ShownLabel(const RepeatedRow& row) {
  if (row.unit.empty()) return row.label;
  return absl::StrCat(row.label, " (", row.unit == "ns" ? "ms" : row.unit, ")");
}

Json StatisticsJson(const RepeatedValue& value) {
  const Statistics& runs = value.runs;
  const bool any = runs.count() > 0;
  const bool spread = runs.count() > 1;
  return {{"host", value.host.empty() ? Json(nullptr) : Json(value.host)},
          {"runs", runs.count()},
          {"mean", any ? JsonDouble(runs.mean()) : Json(nullptr)},
          {"stddev", spread ? JsonDouble(runs.stddev()) : Json(nullptr)},
          {"confidence95", spread ? JsonDouble(runs.confidence95()) : Json(nullptr)},
          {"min", any ? JsonDouble(runs.min()) : Json(nullptr)},
          {"max", any ? JsonDouble(runs.max()) : Json(nullptr)}};
}

}  // namespace

RepeatedRow& Repeats::RowFor(const std::string& label, const std::string& unit, bool is_metric) {
  for (RepeatedRow& row : rows_) {
    if (row.label == label && row.is_metric == is_metric) return row;
  }
  rows_.push_back({label, unit, is_metric, {}});
  return rows_.back();
}

void Repeats::Add(Report report) {
  const std::vector<HostResult>& hosts = report.result.hosts;
  for (const Row& row : report.rows) {
    RepeatedRow& repeated = RowFor(row.label, row.unit, false);
    // A total that lacks a host is another quantity.
    if (row.summable && hosts.size() > 1) {
      Statistics& total = ValueFor("", &repeated).runs;
      if (row.total.value && row.contributing_hosts == row.expected_hosts) {
        total.Add(*row.total.value);
      }
    }
    for (const HostCell& cell : row.cells) {
      Statistics& runs = ValueFor(hosts[cell.host].host, &repeated).runs;
      if (cell.total.value) runs.Add(*cell.total.value);
    }
  }
  for (const MetricRow& row : report.metrics) {
    RepeatedRow& repeated = RowFor(row.name, row.unit, true);
    for (size_t i = 0; i < row.cells.size(); ++i) {
      Statistics& runs = ValueFor(hosts[i].host, &repeated).runs;
      if (row.cells[i].metric.number) runs.Add(*row.cells[i].metric.number);
    }
  }
  reports_.push_back(std::move(report));
}

bool Repeats::complete() const {
  return std::all_of(reports_.begin(), reports_.end(),
                     [](const Report& report) { return report.complete; });
}

std::string PrintRepeatsTable(const Repeats& repeats, const RepeatsOptions& options) {
  TextGrid grid;
  grid.AddColumn("event", TextGrid::Align::kLeft);
  grid.AddColumn("host", TextGrid::Align::kLeft);
  for (const char* title : {"runs", "mean", "stddev", "+- 95%", "min", "max"}) {
    grid.AddColumn(title, TextGrid::Align::kRight);
  }
  for (const RepeatedRow& row : repeats.rows()) {
    std::string label = ShownLabel(row);
    const double scale = ShownScale(row);
    for (const RepeatedValue& value : row.values) {
      const Statistics& runs = value.runs;
      const bool any = runs.count() > 0;
      grid.AddRow({std::move(label), value.host.empty() ? "total" : value.host,
                   absl::StrCat(runs.count()), any ? SignificantText(runs.mean() * scale) : "-",
                   runs.count() > 1 ? SignificantText(runs.stddev() * scale) : "-",
                   ConfidenceText(runs, scale), any ? SignificantText(runs.min() * scale) : "-",
                   any ? SignificantText(runs.max() * scale) : "-"});
      label.clear();
    }
  }
  std::string text = absl::StrCat(grid.ToString(), "\n", RunsText(repeats, options));
  for (size_t i = 0; i < repeats.reports().size(); ++i) {
    const Report& report = repeats.reports()[i];
    if (report.complete) continue;
    absl::StrAppend(&text, "run ", i + 1, ": ", FooterText(report, options.width));
  }
  return text;
}

std::string PrintRepeatsJson(const Repeats& repeats, const RepeatsOptions& options) {
  Json events = Json::array();
  Json metrics = Json::array();
  for (const RepeatedRow& row : repeats.rows()) {
    Json values = Json::array();
    for (const RepeatedValue& value : row.values) values.push_back(StatisticsJson(value));
    (row.is_metric ? metrics : events)
        .push_back({{row.is_metric ? "metric" : "label", row.label},
                    {"unit", row.unit},
                    {"values", std::move(values)}});
  }
  Json runs = Json::array();
  for (const Report& report : repeats.reports()) {
    runs.push_back(Json::parse(PrintJson(report, {options.labels, true})));
  }
  return JsonText({{"schema", "pmu.repeat/1"},
                   {"complete", repeats.complete() && !options.interrupted},
                   {"interrupted", options.interrupted},
                   {"wanted_runs", options.wanted_runs},
                   {"warmup_runs", options.warmup_runs},
                   {"events", std::move(events)},
                   {"metrics", std::move(metrics)},
                   {"runs", std::move(runs)}});
}

}  // namespace pmu::client
