#include "client/report/metric_table.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/report/footnotes.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"
#include "common/host_list.h"
#include "common/statistics.h"

namespace pmu::client {
namespace {

using Align = TextGrid::Align;

// More CPUs per host than this are not listed without being asked for.
constexpr size_t kMaxUnaskedCpus = 8;

std::string Label(const MetricRow& row) {
  return Printable(absl::StrCat(row.name, row.unit.empty() ? "" : absl::StrCat(" (", row.unit, ")"),
                                row.simulated ? " (simulated)" : ""));
}

std::string NumberText(const MetricRow& row, double number) {
  const bool alert = row.alert_above.has_value() && number > *row.alert_above;
  return absl::StrCat(
      row.decimals.has_value() ? DecimalText(number, *row.decimals) : SignificantText(number),
      alert ? " !" : "");
}

std::set<int> CpusOf(const MetricRow& row) {
  std::set<int> cpus;
  for (const MetricCell& cell : row.cells) {
    for (const MetricCpuValue& cpu : cell.cpus) cpus.insert(cpu.cpu);
  }
  return cpus;
}

class MetricGrid {
 public:
  MetricGrid(const Report& report, const TableOptions& options)
      : report_(report),
        options_(options),
        notes_(report.result.hosts.size(), options.width),
        many_hosts_(report.result.hosts.size() > 1) {}

  std::string Text() {
    TextGrid grid = WithHostColumns();
    if (grid.Width() > options_.width && many_hosts_) {
      notes_ = Footnotes(report_.result.hosts.size(), options_.width);
      grid = Summary();
    }
    AddLegend();
    const std::string notes = notes_.ToString();
    return absl::StrCat(grid.ToString(), notes.empty() ? "" : "\n", notes);
  }

 private:
  TextGrid WithHostColumns() {
    TextGrid grid;
    grid.AddColumn("metric", Align::kLeft);
    for (const HostResult& host : report_.result.hosts) grid.AddColumn(host.host, Align::kRight);
    AddSpreadTitles(&grid);
    for (const MetricRow& row : report_.metrics) {
      std::vector<TextGrid::Cell> cells = {Label(row)};
      for (size_t host = 0; host < row.cells.size(); ++host) {
        cells.push_back(
            NumberCell(row, HostNumber(row.cells[host]), Reason(row.cells[host]), HostName(host)));
      }
      AddSpread(row, &cells);
      grid.AddRow(std::move(cells));
      AddCpuLines(row, &grid);
    }
    return grid;
  }

  // Too many hosts for columns.
  TextGrid Summary() {
    TextGrid grid;
    grid.AddColumn("metric", Align::kLeft);
    grid.AddColumn("hosts", Align::kRight);
    AddSpreadTitles(&grid);
    grid.AddColumn("lowest", Align::kLeft);
    grid.AddColumn("highest", Align::kLeft);
    for (const MetricRow& row : report_.metrics) {
      std::vector<TextGrid::Cell> cells = {
          Label(row), absl::StrCat(row.contributing_hosts, " of ", row.cells.size())};
      AddSpread(row, &cells);
      const auto [lowest, highest] = Ends(row);
      cells.emplace_back(FoldHostList(lowest));
      cells.emplace_back(FoldHostList(highest));
      grid.AddRow(std::move(cells));
      for (size_t host = 0; host < row.cells.size(); ++host) {
        if (HostNumber(row.cells[host]).has_value()) continue;
        notes_.Add(Reason(row.cells[host]), row.name, HostName(host));
      }
    }
    return grid;
  }

  void AddSpreadTitles(TextGrid* grid) const {
    if (!many_hosts_) return;
    for (const char* title : {"mean", "min", "max"}) grid->AddColumn(title, Align::kRight);
  }

  void AddSpread(const MetricRow& row, std::vector<TextGrid::Cell>* cells) const {
    if (!many_hosts_) return;
    for (const double number : {row.spread.mean(), row.spread.min(), row.spread.max()}) {
      cells->emplace_back(row.spread.count() > 0 ? NumberText(row, number) : "-");
    }
  }

  void AddCpuLines(const MetricRow& row, TextGrid* grid) {
    const std::set<int> cpus = CpusOf(row);
    if (cpus.size() > kMaxUnaskedCpus && !options_.per_cpu) return;
    for (const int cpu : cpus) {
      std::vector<TextGrid::Cell> cells = {absl::StrCat("  cpu ", cpu)};
      for (size_t host = 0; host < row.cells.size(); ++host) {
        const std::vector<MetricCpuValue>& list = row.cells[host].cpus;
        const auto found = std::find_if(list.begin(), list.end(),
                                        [cpu](const MetricCpuValue& v) { return v.cpu == cpu; });
        cells.push_back(found == list.end() ? TextGrid::Cell()
                                            : NumberCell(row, found->metric.number,
                                                         found->metric.reason, HostName(host)));
      }
      grid->AddRow(std::move(cells));
    }
  }

  TextGrid::Cell NumberCell(const MetricRow& row, absl::optional<double> number,
                            const std::string& reason, const std::string& host) {
    if (number.has_value()) return NumberText(row, *number);
    return {"-", notes_.Add(reason, row.name, host)};
  }

  static std::string Reason(const MetricCell& cell) {
    return cell.cpus.empty() ? cell.metric.reason : cell.cpus.front().metric.reason;
  }

  // Hosts with the smallest and the largest number.
  std::pair<std::vector<std::string>, std::vector<std::string>> Ends(const MetricRow& row) const {
    Statistics all;
    for (const MetricCell& cell : row.cells) {
      if (const auto number = HostNumber(cell)) all.Add(*number);
    }
    std::pair<std::vector<std::string>, std::vector<std::string>> ends;
    for (size_t host = 0; host < row.cells.size(); ++host) {
      const absl::optional<double> number = HostNumber(row.cells[host]);
      if (!number.has_value()) continue;
      if (*number == all.min()) ends.first.push_back(HostName(host));
      if (*number == all.max()) ends.second.push_back(HostName(host));
    }
    return ends;
  }

  // What "!" means, once per metric that shows it.
  void AddLegend() {
    for (const MetricRow& row : report_.metrics) {
      if (!row.alert_above.has_value() || row.spread.count() == 0) continue;
      if (row.spread.max() <= *row.alert_above) continue;
      notes_.Add(
          absl::StrCat("! marks values above ", PlainNumber(*row.alert_above), " ", row.unit),
          row.name, "");
    }
  }

  const std::string& HostName(size_t host) const { return report_.result.hosts[host].host; }

  const Report& report_;
  const TableOptions& options_;
  Footnotes notes_;
  const bool many_hosts_;
};

}  // namespace

absl::optional<double> HostNumber(const MetricCell& cell) {
  if (cell.cpus.empty()) return cell.metric.number;
  Statistics cpus;
  for (const MetricCpuValue& cpu : cell.cpus) {
    if (cpu.metric.number.has_value()) cpus.Add(*cpu.metric.number);
  }
  if (cpus.count() == 0) return absl::nullopt;
  return cpus.mean();
}

std::string MetricTable(const Report& report, const TableOptions& options) {
  if (report.metrics.empty()) return "";
  return MetricGrid(report, options).Text();
}

}  // namespace pmu::client
