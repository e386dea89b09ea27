#include "client/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"

namespace pmu::client {
namespace {

// One input of one metric on one host.
struct Input {
  absl::optional<double> total;
  std::map<int, double> cpus;  // only CPUs with a number
};

// Rows of a hybrid event: the sum row stands for the event.
const Row* FindRow(const Report& report, const std::string& event) {
  const Row* found = nullptr;
  for (const Row& row : report.rows) {
    if (report.result.requested_events[row.requested_index] != event) continue;
    if (found == nullptr || row.is_sum) found = &row;
  }
  return found;
}

Input InputOf(const Row* row, size_t host) {
  Input input;
  if (row == nullptr) return input;
  const HostCell& cell = row->cells[host];
  input.total = cell.total.value;
  for (const PerCpuValue& cpu : cell.cpus) {
    if (cpu.cpu >= 0 && cpu.value.value.has_value()) input.cpus[cpu.cpu] += *cpu.value.value;
  }
  return input;
}

std::set<int> CommonCpus(const std::vector<Input>& inputs) {
  std::set<int> common;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::set<int> kept;
    for (const auto& [cpu, number] : inputs[i].cpus) {
      if (i == 0 || common.count(cpu) > 0) kept.insert(cpu);
    }
    common = std::move(kept);
  }
  return common;
}

MetricValue EvaluateHost(const MetricExpr& metric, const std::vector<Input>& inputs) {
  const std::set<int> cpus = CommonCpus(inputs);
  return metric.Evaluate([&](size_t i) -> absl::optional<double> {
    if (cpus.empty()) return inputs[i].total;
    double sum = 0;
    for (const int cpu : cpus) sum += inputs[i].cpus.at(cpu);
    return sum;
  });
}

std::vector<MetricCpuValue> EvaluateCpus(const MetricExpr& metric,
                                         const std::vector<Input>& inputs) {
  std::set<int> cpus;
  for (const Input& input : inputs) {
    for (const auto& [cpu, number] : input.cpus) cpus.insert(cpu);
  }
  std::vector<MetricCpuValue> values;
  for (const int cpu : cpus) {
    values.push_back({cpu, metric.Evaluate([&](size_t i) -> absl::optional<double> {
                        const auto found = inputs[i].cpus.find(cpu);
                        if (found == inputs[i].cpus.end()) return absl::nullopt;
                        return found->second;
                      })});
  }
  return values;
}

MetricCell EvaluateCell(const MetricExpr& metric, const std::vector<const Row*>& rows,
                        size_t host) {
  std::vector<Input> inputs;
  for (const Row* row : rows) inputs.push_back(InputOf(row, host));
  MetricCell cell;
  if (metric.scope() == MetricExpr::Scope::kPerCpu) {
    cell.cpus = EvaluateCpus(metric, inputs);
    if (cell.cpus.empty()) cell.metric.reason = "not counted on any CPU";
  } else {
    cell.metric = EvaluateHost(metric, inputs);
  }
  return cell;
}

void AddToSpread(const MetricCell& cell, MetricRow& row) {
  bool any = false;
  const auto add = [&](const MetricValue& value) {
    if (!value.number.has_value()) return;
    row.spread.Add(*value.number);
    any = true;
  };
  add(cell.metric);
  for (const MetricCpuValue& cpu : cell.cpus) add(cpu.metric);
  if (any) ++row.contributing_hosts;
}

MetricRow EvaluateRow(const MetricExpr& metric, const Report& report) {
  MetricRow row;
  row.name = metric.name();
  row.unit = metric.unit();
  row.formula = metric.formula();
  row.scope = metric.scope();
  std::vector<const Row*> rows;
  for (const std::string& input : metric.inputs()) rows.push_back(FindRow(report, input));
  for (size_t host = 0; host < report.result.hosts.size(); ++host) {
    row.cells.push_back(EvaluateCell(metric, rows, host));
    AddToSpread(row.cells.back(), row);
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<MetricExpr>> FindMetrics(absl::string_view argument) {
  std::vector<MetricExpr> metrics;
  if (argument.find('=') != absl::string_view::npos) {
    absl::StatusOr<MetricExpr> metric = MetricExpr::Parse(argument);
    if (!metric.ok()) return metric.status();
    metrics.push_back(*std::move(metric));
    return metrics;
  }
  std::set<std::string> names;
  for (const NamedMetric& named : NamedMetrics()) {
    names.insert(named.group);
    if (named.group != argument) continue;
    absl::StatusOr<MetricExpr> metric = MetricExpr::Parse(named.definition);
    if (!metric.ok()) return metric.status();
    metrics.push_back(*std::move(metric));
  }
  if (metrics.empty()) {
    return absl::NotFoundError(absl::StrCat("no metric \"", argument,
                                            "\"; known: ", absl::StrJoin(names, ", "),
                                            "; or write one as \"name = formula\""));
  }
  return metrics;
}

std::vector<MetricRow> EvaluateMetrics(const std::vector<MetricExpr>& metrics,
                                       const Report& report) {
  std::vector<MetricRow> rows;
  for (const MetricExpr& metric : metrics) rows.push_back(EvaluateRow(metric, report));
  return rows;
}

}  // namespace pmu::client
