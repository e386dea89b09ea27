#include "client/report/csv.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/report/cell_state.h"
#include "client/report/number_text.h"

namespace pmu::client {
namespace {

enum Column {
  kRowKind,
  kEvent,
  kLabel,
  kPmu,
  kHost,
  kCpu,
  kTid,
  kState,
  kCount,
  kValue,
  kUnit,
  kRate,
  kShare,
  kRawCount,
  kEnabledNs,
  kRunningNs,
  kMeasuredNs,
  kContributing,
  kExpected,
  kReason,
  kSimulated,
  kColumnCount,
};
constexpr std::array<const char*, kColumnCount> kTitles = {
    "row",           "event",     "label",      "pmu",        "host",        "cpu",
    "tid",           "state",     "count",      "value",      "unit",        "rate_per_s",
    "running_share", "raw_count", "enabled_ns", "running_ns", "measured_ns", "contributing",
    "expected",      "reason",    "simulated"};

using Line = std::array<std::string, kColumnCount>;

class CsvPrinter {
 public:
  CsvPrinter(const Report& report, const CsvOptions& options)
      : report_(report), options_(options) {}

  std::string Print() {
    Line titles;
    for (size_t i = 0; i < titles.size(); ++i) titles[i] = kTitles[i];
    if (options_.titles) AppendFields("interval", "time_s", titles);
    for (const Row& row : report_.rows) {
      for (const HostCell& cell : row.cells) AppendHost(row, cell);
      AppendTotal(row);
      AppendSpread(row);
    }
    for (const MetricRow& row : report_.metrics) AppendMetric(row);
    return std::move(out_);
  }

 private:
  std::string Quoted(const std::string& field) const {
    const bool plain = field.find_first_of("\"\r\n") == std::string::npos &&
                       field.find(options_.separator) == std::string::npos;
    if (plain) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
  }

  void Append(const Line& line) {
    AppendFields(options_.interval.value_or(""), options_.time_s, line);
  }

  void AppendFields(const std::string& interval, const std::string& time_s, const Line& line) {
    if (options_.interval.has_value()) {
      absl::StrAppend(&out_, interval, std::string(1, options_.separator), time_s,
                      std::string(1, options_.separator));
    }
    for (size_t i = 0; i < line.size(); ++i) {
      if (i > 0) out_ += options_.separator;
      out_ += Quoted(ValidUtf8(line[i]));
    }
    out_ += '\n';
  }

  Line Start(const char* kind, const Row& row) const {
    Line line;
    line[kRowKind] = kind;
    const auto& requested = report_.result.requested_events;
    const bool known = static_cast<size_t>(row.requested_index) < requested.size();
    line[kEvent] = known ? requested[row.requested_index] : row.label;
    line[kLabel] = row.label;
    line[kPmu] = row.pmu;
    line[kUnit] = row.unit;
    line[kSimulated] = SimulatedText(row.simulated);
    return line;
  }

  static std::string SimulatedText(bool simulated) { return simulated ? "yes" : "no"; }

  static void SetState(const CellStatus& status, Line* line) {
    (*line)[kState] = CellStateToken(status.state);
    (*line)[kReason] = status.reason;
  }

  static void SetValue(const Value& value, Line* line) {
    if (value.count) (*line)[kCount] = PlainNumber(*value.count);
    if (value.value) {
      (*line)[kValue] = PlainNumber(*value.value);
      (*line)[kShare] = PlainNumber(value.running_share);
    }
    if (value.rate_per_s) (*line)[kRate] = PlainNumber(*value.rate_per_s);
    (*line)[kContributing] = absl::StrCat(value.contributing);
    (*line)[kExpected] = absl::StrCat(value.expected);
  }

  void AppendHost(const Row& row, const HostCell& cell) {
    const HostResult& host = report_.result.hosts[cell.host];
    Line line = Start("host", row);
    line[kHost] = host.host;
    if (host.measured_ns > 0) line[kMeasuredNs] = absl::StrCat(host.measured_ns);
    SetState(StatusOf(report_, row, cell), &line);
    SetValue(cell.total, &line);
    Append(line);
    if (!options_.per_cpu) return;
    for (const PerCpuValue& cpu : cell.cpus) {
      Line cpu_line = Start("cpu", row);
      cpu_line[kHost] = host.host;
      cpu_line[kMeasuredNs] = line[kMeasuredNs];
      if (cpu.cpu >= 0) cpu_line[kCpu] = absl::StrCat(cpu.cpu);
      if (cpu.tid != 0) cpu_line[kTid] = absl::StrCat(cpu.tid);
      SetState(StatusOf(cpu.value), &cpu_line);
      SetValue(cpu.value, &cpu_line);
      cpu_line[kRawCount] = absl::StrCat(cpu.raw_count);
      cpu_line[kEnabledNs] = absl::StrCat(cpu.enabled_ns);
      cpu_line[kRunningNs] = absl::StrCat(cpu.running_ns);
      Append(cpu_line);
    }
  }

  // Contributing and expected are hosts here.
  void AppendTotal(const Row& row) {
    Line line = Start("total", row);
    SetState(StatusOfTotal(row), &line);
    SetValue(row.total, &line);
    line[kContributing] = absl::StrCat(row.contributing_hosts);
    line[kExpected] = absl::StrCat(row.expected_hosts);
    Append(line);
  }

  void AppendSpread(const Row& row) {
    const Statistics& spread = row.spread;
    const std::pair<const char*, double> numbers[] = {{"mean", spread.mean()},
                                                      {"min", spread.min()},
                                                      {"max", spread.max()},
                                                      {"stddev", spread.stddev()}};
    for (const auto& [kind, number] : numbers) {
      Line line = Start(kind, row);
      // One number has no deviation.
      const bool has_number =
          spread.count() > (absl::string_view(kind) == "stddev" ? 1 : 0) && std::isfinite(number);
      const CellState why_none =
          spread.count() == 0 ? StatusOfTotal(row).state : CellState::kNotCounted;
      line[kState] = CellStateToken(has_number ? CellState::kCounted : why_none);
      if (has_number) line[kValue] = PlainNumber(number);
      line[kContributing] = absl::StrCat(spread.count());
      Append(line);
    }
  }

  void AppendMetric(const MetricRow& row) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const std::string& host = report_.result.hosts[i].host;
      if (row.scope == MetricExpr::Scope::kPerHost || row.cells[i].cpus.empty()) {
        AppendMetricValue(row, host, "", row.cells[i].metric);
      }
      for (const MetricCpuValue& cpu : row.cells[i].cpus) {
        AppendMetricValue(row, host, absl::StrCat(cpu.cpu), cpu.metric);
      }
    }
  }

  void AppendMetricValue(const MetricRow& row, const std::string& host, const std::string& cpu,
                         const MetricValue& metric) {
    Line line;
    line[kRowKind] = "metric";
    line[kEvent] = row.name;
    line[kLabel] = row.name;
    line[kUnit] = row.unit;
    line[kHost] = host;
    line[kCpu] = cpu;
    line[kState] = CellStateToken(metric.number ? CellState::kCounted : CellState::kNotCounted);
    if (metric.number) line[kValue] = PlainNumber(*metric.number);
    line[kReason] = metric.reason;
    line[kSimulated] = SimulatedText(row.simulated);
    Append(line);
  }

  const Report& report_;
  const CsvOptions& options_;
  std::string out_;
};

}  // namespace

absl::Status ParseCsvSeparator(const std::string& text, char* separator) {
  if (text == "\\t" || text == "tab" || text == "\t") {
    *separator = '\t';
    return absl::OkStatus();
  }
  const char c = text.size() == 1 ? text[0] : '\0';
  if (!absl::ascii_isprint(c) || absl::ascii_isalnum(c) || c == '"' || c == '.' || c == '-' ||
      c == '+') {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", text,
        "\" cannot separate columns: give one character that is not part of a number or name, "
        "such as , ; | or tab"));
  }
  *separator = c;
  return absl::OkStatus();
}

std::string PrintCsv(const Report& report, const CsvOptions& options) {
  return CsvPrinter(report, options).Print();
}

}  // namespace pmu::client
