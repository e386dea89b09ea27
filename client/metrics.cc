#include "client/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "client/event_match.h"

namespace pmu::client {
namespace {

// Facts of a host that formulas may use; they are no events.
constexpr absl::string_view kFactNames[] = {"nominal-frequency"};

bool IsFact(absl::string_view input) {
  return std::find(std::begin(kFactNames), std::end(kFactNames), input) != std::end(kFactNames);
}

// One input of one metric on one host.
struct Input {
  bool is_constant = false;  // the same for every CPU
  absl::optional<double> total;
  std::map<int, double> cpus;  // only CPUs with a number

  absl::optional<double> OnCpu(int cpu) const {
    if (is_constant) return total;
    const auto found = cpus.find(cpu);
    if (found == cpus.end()) return absl::nullopt;
    return found->second;
  }
};

Input FactOf(const HostResult& host, absl::string_view name) {
  Input input;
  input.is_constant = true;
  if (!host.identity.has_value()) return input;
  for (const pmu::v1::Backend& backend : host.identity->backends()) {
    for (const pmu::v1::BackendFact& fact : backend.facts()) {
      if (fact.name() == std::string(name) && fact.has_number()) input.total = fact.number();
    }
  }
  return input;
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

// CPUs on which every input has a number.
std::set<int> CommonCpus(const std::vector<Input>& inputs) {
  std::set<int> all;
  for (const Input& input : inputs) {
    for (const auto& [cpu, number] : input.cpus) all.insert(cpu);
  }
  std::set<int> common;
  for (const int cpu : all) {
    const bool everywhere = std::all_of(inputs.begin(), inputs.end(), [cpu](const Input& input) {
      return input.OnCpu(cpu).has_value();
    });
    if (everywhere) common.insert(cpu);
  }
  return common;
}

MetricValue EvaluateHost(const MetricExpr& metric, const std::vector<Input>& inputs) {
  const std::set<int> cpus = CommonCpus(inputs);
  return metric.Evaluate([&](size_t i) -> absl::optional<double> {
    if (cpus.empty() || inputs[i].is_constant) return inputs[i].total;
    double sum = 0;
    for (const int cpu : cpus) sum += *inputs[i].OnCpu(cpu);
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
    values.push_back({cpu, metric.Evaluate([&](size_t i) { return inputs[i].OnCpu(cpu); })});
  }
  return values;
}

MetricCell EvaluateCell(const MetricExpr& metric, const std::vector<const Row*>& rows,
                        const Report& report, size_t host) {
  std::vector<Input> inputs;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string& name = metric.inputs()[i];
    inputs.push_back(IsFact(name) ? FactOf(report.result.hosts[host], name)
                                  : InputOf(rows[i], host));
  }
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

MetricRow EvaluateRow(const Metric& shown, const Report& report) {
  const MetricExpr& metric = shown.expr;
  MetricRow row;
  row.decimals = shown.decimals;
  row.alert_above = shown.alert_above;
  row.name = metric.name();
  row.unit = metric.unit();
  row.formula = metric.formula();
  row.scope = metric.scope();
  std::vector<const Row*> rows;
  for (const std::string& input : metric.inputs()) {
    rows.push_back(FindRow(report, input));
    row.simulated |= rows.back() != nullptr && rows.back()->simulated;
  }
  for (size_t host = 0; host < report.result.hosts.size(); ++host) {
    row.cells.push_back(EvaluateCell(metric, rows, report, host));
    AddToSpread(row.cells.back(), row);
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<Metric>> FindMetrics(absl::string_view argument) {
  std::vector<Metric> metrics;
  if (argument.find('=') != absl::string_view::npos) {
    absl::StatusOr<MetricExpr> expr = MetricExpr::Parse(argument);
    if (!expr.ok()) return expr.status();
    metrics.push_back({*std::move(expr), absl::nullopt, absl::nullopt, false});
    return metrics;
  }
  std::set<std::string> names;
  for (const NamedMetric& named : NamedMetrics()) {
    names.insert(named.group);
    if (named.group != argument) continue;
    absl::StatusOr<MetricExpr> expr = MetricExpr::Parse(named.definition);
    if (!expr.ok()) return expr.status();
    metrics.push_back(
        {*std::move(expr), named.decimals, named.alert_above, named.only_where_measured});
  }
  if (metrics.empty()) {
    return absl::NotFoundError(absl::StrCat("no metric \"", argument,
                                            "\"; known: ", absl::StrJoin(names, ", "),
                                            "; or write one as \"name = formula\""));
  }
  return metrics;
}

std::vector<std::string> EventsOf(const std::vector<Metric>& metrics) {
  std::vector<std::string> events;
  for (const Metric& metric : metrics) {
    if (metric.only_where_measured) continue;
    for (const std::string& input : metric.expr.inputs()) {
      const bool known = std::find(events.begin(), events.end(), input) != events.end();
      if (!known && !IsFact(input)) events.push_back(input);
    }
  }
  return events;
}

std::vector<MetricRow> EvaluateMetrics(const std::vector<Metric>& metrics, const Report& report) {
  std::vector<MetricRow> rows;
  for (const Metric& metric : metrics) {
    const std::vector<std::string>& inputs = metric.expr.inputs();
    const bool measured = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
      return FindRow(report, input) != nullptr;
    });
    if (measured || !metric.only_where_measured) rows.push_back(EvaluateRow(metric, report));
  }
  return rows;
}

}  // namespace pmu::client
