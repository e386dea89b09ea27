#include "client/report/table_columns.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/report/footnotes.h"
#include "client/report/number_text.h"
#include "client/report/table_cells.h"
#include "client/report/text_grid.h"

namespace pmu::client {
namespace {

using Align = TextGrid::Align;

// More counters per host than this are not listed without being asked for.
constexpr size_t kMaxUnaskedCpus = 8;

class ColumnsTable {
 public:
  ColumnsTable(const Report& report, const TableOptions& options)
      : report_(report),
        options_(options),
        footnotes_(report.result.hosts.size(), options.width),
        writer_(&report, &footnotes_) {
    auto any = [&](auto predicate) {
      return std::any_of(report.rows.begin(), report.rows.end(), predicate);
    };
    has_unit_ = any([](const Row& row) { return !DisplayUnit(row).name().empty(); });
    is_incomplete_ = many_hosts() && any(IsIncomplete);
    is_multiplexed_ = any(IsMultiplexed);
    // Of one host only where its counters are neither added nor listed.
    has_spread_ = many_hosts() || any([](const Row& row) {
                    return !row.summable && MostCpus(row) > kMaxUnaskedCpus;
                  });
  }

  absl::optional<std::string> Text() {
    // Everything in one table; or the spread in a second one; or the rates too.
    for (const Split split : {Split{true, has_spread_}, Split{true, false}, Split{false, false}}) {
      if (!split.with_rate && !many_hosts()) break;
      footnotes_ = Footnotes(report_.result.hosts.size(), options_.width);
      const TextGrid values = Values(split);
      const bool one_table = split.with_spread || !has_spread_;
      const TextGrid rest = one_table ? TextGrid() : Spread(!split.with_rate);
      const bool fits = std::max(values.Width(), rest.Width()) <= options_.width;
      // One host stays in columns; the terminal wraps the lines.
      if (!fits && (many_hosts() || split.with_spread)) continue;
      return absl::StrCat(values.ToString(), one_table ? "" : "\n",
                          one_table ? "" : rest.ToString(), Notes());
    }
    return absl::nullopt;
  }

 private:
  // What the first table has beside the hosts.
  struct Split {
    bool with_rate;
    bool with_spread;
  };

  bool many_hosts() const { return report_.result.hosts.size() > 1; }

  std::string Notes() const {
    const std::string notes = footnotes_.ToString();
    return notes.empty() ? "" : "\n" + notes;
  }

  void AddSpreadTitles(TextGrid* grid) const {
    for (const char* title : {"mean", "min", "max", "stddev"})
      grid->AddColumn(title, Align::kRight);
  }

  void AddSpreadCells(const Row& row, const DisplayUnit& unit,
                      std::vector<TextGrid::Cell>* cells) const {
    const bool some = row.spread.count() > 0;
    for (double number : {row.spread.mean(), row.spread.min(), row.spread.max()}) {
      cells->emplace_back(some ? unit.StatisticText(number) : "-");
    }
    cells->emplace_back(row.spread.count() > 1 ? unit.StatisticText(row.spread.stddev()) : "-");
  }

  void AddRateTitles(TextGrid* grid) const {
    grid->AddColumn("rate/s", Align::kRight);
    if (is_multiplexed_) grid->AddColumn("counted", Align::kRight);
  }

  void AddRateCells(const Row& row, const DisplayUnit& unit,
                    std::vector<TextGrid::Cell>* cells) const {
    const absl::optional<double>& rate =
        many_hosts() || row.cells.empty() ? row.total.rate_per_s : row.cells[0].total.rate_per_s;
    cells->emplace_back(rate ? unit.RateText(*rate) : "-");
    if (is_multiplexed_) cells->emplace_back(CountedText(row));
  }

  TextGrid Values(Split split) {
    TextGrid grid;
    grid.AddColumn("event", Align::kLeft);
    if (has_unit_) grid.AddColumn("unit", Align::kLeft);
    for (const HostResult& host : report_.result.hosts) grid.AddColumn(host.host, Align::kRight);
    if (many_hosts()) grid.AddColumn("total", Align::kRight);
    if (is_incomplete_) grid.AddColumn("hosts", Align::kRight);
    if (split.with_rate) AddRateTitles(&grid);
    if (split.with_spread) AddSpreadTitles(&grid);
    for (const Row& row : report_.rows) {
      const DisplayUnit unit(row);
      const bool unasked = !row.summable && MostCpus(row) > 1 && MostCpus(row) <= kMaxUnaskedCpus;
      const bool per_cpu = options_.per_cpu || unasked;
      grid.AddRow(ValueCells(row, unit, per_cpu, split));
      if (per_cpu) AddCpuRows(row, unit, &grid);
    }
    return grid;
  }

  std::vector<TextGrid::Cell> ValueCells(const Row& row, const DisplayUnit& unit, bool per_cpu,
                                         Split split) {
    std::vector<TextGrid::Cell> cells = {RowLabel(row)};
    if (has_unit_) cells.emplace_back(unit.name());
    for (const HostCell& cell : row.cells) {
      cells.push_back(writer_.Host(row, unit, cell, /*cpus_follow=*/per_cpu));
    }
    if (many_hosts()) cells.push_back(writer_.Total(row, unit));
    if (is_incomplete_) cells.emplace_back(HostsOfText(row));
    if (split.with_rate) AddRateCells(row, unit, &cells);
    if (split.with_spread) AddSpreadCells(row, unit, &cells);
    return cells;
  }

  void AddCpuRows(const Row& row, const DisplayUnit& unit, TextGrid* grid) {
    for (const CpuPlace& place : CpuPlaces(row)) {
      std::vector<TextGrid::Cell> cells = {absl::StrCat("  ", place.Label())};
      if (has_unit_) cells.emplace_back(unit.name());
      const PerCpuValue* last = nullptr;
      for (const HostCell& cell : row.cells) {
        last = place.Find(cell);
        cells.push_back(last ? writer_.Cpu(row, unit, cell, *last) : TextGrid::Cell());
      }
      if (!many_hosts() && last != nullptr) {
        const absl::optional<double>& rate = last->value.rate_per_s;
        cells.emplace_back(rate ? unit.RateText(*rate) : "-");
        if (is_multiplexed_ && last->value.value) {
          cells.emplace_back(PercentText(last->value.running_share));
        }
      }
      grid->AddRow(std::move(cells));
    }
  }

  TextGrid Spread(bool with_rate) const {
    TextGrid grid;
    grid.AddColumn(many_hosts() ? "over hosts" : "over counters", Align::kLeft);
    if (has_unit_) grid.AddColumn("unit", Align::kLeft);
    if (with_rate) AddRateTitles(&grid);
    AddSpreadTitles(&grid);
    for (const Row& row : report_.rows) {
      const DisplayUnit unit(row);
      std::vector<TextGrid::Cell> cells = {RowLabel(row)};
      if (has_unit_) cells.emplace_back(unit.name());
      if (with_rate) AddRateCells(row, unit, &cells);
      AddSpreadCells(row, unit, &cells);
      grid.AddRow(std::move(cells));
    }
    return grid;
  }

  const Report& report_;
  const TableOptions& options_;
  Footnotes footnotes_;
  CellWriter writer_;
  bool has_unit_ = false;
  bool is_incomplete_ = false;
  bool is_multiplexed_ = false;
  bool has_spread_ = false;
};

}  // namespace

absl::optional<std::string> TableInColumns(const Report& report, const TableOptions& options) {
  return ColumnsTable(report, options).Text();
}

}  // namespace pmu::client
