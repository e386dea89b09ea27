#include "client/report/interval_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/report/cell_state.h"
#include "client/report/display_unit.h"
#include "client/report/metric_table.h"
#include "client/report/number_text.h"
#include "client/report/table_cells.h"

namespace pmu::client {
namespace {

constexpr size_t kTimeWidth = 12;
constexpr size_t kMinCellWidth = 13;
constexpr absl::string_view kLate = " late";

std::string Right(const std::string& text, size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string HostCellText(const Report& report, const Row& row, const DisplayUnit& unit,
                         const HostCell& cell) {
  if (cell.total.value) return unit.Text(cell.total);
  if (!row.summable && !cell.cpus.empty()) return "";  // its CPUs follow
  const absl::Status& status = report.result.hosts[cell.host].status;
  if (absl::StartsWith(status.message(), "late")) return "late";
  if (absl::StartsWith(status.message(), "no sample")) return "-";
  return CellStateWords(StatusOf(report, row, cell).state);
}

std::string MetricText(const MetricRow& row, const MetricCell& cell) {
  const absl::optional<double> number = HostNumber(cell);
  if (!number) return "-";
  return row.decimals ? DecimalText(*number, *row.decimals) : SignificantText(*number);
}

std::string EventLabel(const Row& row) { return LabelWithUnit(row, DisplayUnit(row)); }

std::string MetricLabel(const MetricRow& row) {
  return absl::StrCat(row.name, row.unit.empty() ? "" : absl::StrCat(" (", row.unit, ")"),
                      row.simulated ? " (simulated)" : "");
}

std::string CpuLabel(const CpuPlace& place) { return absl::StrCat("  ", place.Label()); }

// "12.5 (node07)".
std::string Extreme(const Report& report, const Row& row, const DisplayUnit& unit, bool most) {
  const HostCell* found = nullptr;
  for (const HostCell& cell : row.cells) {
    if (!cell.total.value) continue;
    const bool better = found == nullptr || (most ? *cell.total.value > *found->total.value
                                                  : *cell.total.value < *found->total.value);
    if (better) found = &cell;
  }
  if (found == nullptr) return "-";
  return absl::StrCat(unit.Text(found->total), " (", report.result.hosts[found->host].host, ")");
}

}  // namespace

IntervalTable::IntervalTable(std::vector<std::string> hosts, size_t width, bool per_cpu)
    : hosts_(std::move(hosts)), width_(width), per_cpu_(per_cpu) {}

void IntervalTable::ChooseWidths(const Report& report) {
  label_width_ = sizeof("event");
  for (const Row& row : report.rows) {
    label_width_ = std::max(label_width_, EventLabel(row).size() + kLate.size());
    if (!HasCpuLines(row)) continue;
    for (const CpuPlace& place : CpuPlaces(row)) {
      label_width_ = std::max(label_width_, CpuLabel(place).size());
    }
  }
  for (const MetricRow& row : report.metrics) {
    label_width_ = std::max(label_width_, MetricLabel(row).size());
  }
  titles_ = hosts_;
  if (hosts_.size() > 1) titles_.push_back("total");
  size_t needed = kTimeWidth + 2 + label_width_;
  for (const std::string& title : titles_) needed += 2 + std::max(title.size(), kMinCellWidth);
  if (needed > width_ && hosts_.size() > 1) {
    hosts_fit_ = false;
    size_t longest = 0;
    for (const std::string& host : hosts_) longest = std::max(longest, host.size());
    const size_t extreme = kMinCellWidth + longest + 3;  // " (host)"
    titles_ = {"total", "hosts", "mean", "min", "max"};
    widths_ = {kMinCellWidth, kMinCellWidth, kMinCellWidth, extreme, extreme};
    return;
  }
  for (const std::string& title : titles_) widths_.push_back(std::max(title.size(), kMinCellWidth));
}

std::string IntervalTable::Line(const std::string& time, const std::string& label,
                                const std::vector<std::string>& cells) const {
  std::string line = absl::StrCat(Right(time, kTimeWidth), "  ", label);
  if (label.size() < label_width_) line.append(label_width_ - label.size(), ' ');
  for (size_t i = 0; i < cells.size(); ++i) {
    absl::StrAppend(&line, "  ", Right(cells[i], widths_[i]));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::vector<std::string> IntervalTable::RowCells(const Report& report, const Row& row) const {
  const DisplayUnit unit(row);
  const std::string total = row.total.value ? unit.Text(row.total) : "-";
  if (!hosts_fit_) {
    return {total, HostsOfText(row),
            row.spread.count() > 0 ? unit.StatisticText(row.spread.mean()) : "-",
            Extreme(report, row, unit, false), Extreme(report, row, unit, true)};
  }
  std::vector<std::string> cells;
  size_t at = 0;  // a late interval has some of the hosts only
  for (const std::string& host : hosts_) {
    const bool here = at < row.cells.size() && report.result.hosts[row.cells[at].host].host == host;
    cells.push_back(here ? HostCellText(report, row, unit, row.cells[at]) : "");
    at += here;
  }
  if (hosts_.size() > 1) cells.push_back(row.summable ? total : "");
  return cells;
}

std::string IntervalTable::CpuLines(const Report& report, const Row& row) const {
  const DisplayUnit unit(row);
  std::string lines;
  for (const CpuPlace& place : CpuPlaces(row)) {
    std::vector<std::string> cells;
    size_t at = 0;
    for (const std::string& host : hosts_) {
      const bool here =
          at < row.cells.size() && report.result.hosts[row.cells[at].host].host == host;
      const PerCpuValue* const cpu = here ? place.Find(row.cells[at]) : nullptr;
      at += here;
      cells.push_back(cpu == nullptr ? "" : cpu->value.value ? unit.Text(cpu->value) : "-");
    }
    lines += Line("", CpuLabel(place), cells);
  }
  return lines;
}

std::vector<std::string> IntervalTable::MetricCells(const Report& report,
                                                    const MetricRow& row) const {
  if (!hosts_fit_) {
    const bool any = row.spread.count() > 0;
    return {"-", absl::StrCat(row.contributing_hosts, " of ", row.cells.size()),
            any ? SignificantText(row.spread.mean()) : "-",
            any ? SignificantText(row.spread.min()) : "-",
            any ? SignificantText(row.spread.max()) : "-"};
  }
  std::vector<std::string> cells;
  size_t at = 0;
  for (const std::string& host : hosts_) {
    const bool here = at < row.cells.size() && report.result.hosts[at].host == host;
    cells.push_back(here ? MetricText(row, row.cells[at]) : "");
    at += here;
  }
  return cells;
}

std::string IntervalTable::Lines(const Interval& interval, const Report& report) {
  std::string lines;
  if (widths_.empty()) {
    ChooseWidths(report);
    lines = Line("time", "event", titles_);
  }
  std::string time = absl::StrFormat("%.3f s", static_cast<double>(interval.end_ns) / 1e9);
  for (const Row& row : report.rows) {
    const std::string label = EventLabel(row);
    lines += Line(time, interval.late ? absl::StrCat(label, kLate) : label, RowCells(report, row));
    if (hosts_fit_ && HasCpuLines(row)) lines += CpuLines(report, row);
    time.clear();
  }
  for (const MetricRow& row : report.metrics) {
    lines += Line(time, MetricLabel(row), MetricCells(report, row));
    time.clear();
  }
  for (const HostResult& host : report.result.hosts) {
    for (const std::string& note : host.notes) {
      absl::StrAppend(&lines, std::string(kTimeWidth + 2, ' '), host.host, ": ", Printable(note),
                      "\n");
    }
  }
  return lines;
}

}  // namespace pmu::client
