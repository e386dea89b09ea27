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

// The groups of columns. They stay whole; the table is split between them.
enum Part : unsigned {
  kHosts = 1,   // each host, the total, and how many hosts are behind it
  kRate = 2,    // rate, and share of time counted
  kSpread = 4,  // mean, min, max, stddev
};

// From one table to three, until they fit.
const std::vector<std::vector<unsigned>> kSplits = {{kHosts | kRate | kSpread},
                                                    {kHosts | kRate, kSpread},
                                                    {kHosts, kRate | kSpread},
                                                    {kHosts, kRate, kSpread}};

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
    is_incomplete_ = many_hosts() && any(IsIncomplete);
    is_multiplexed_ = any(IsMultiplexed);
    // Of one host only where its counters are neither added nor listed.
    has_spread_ = many_hosts() || any([](const Row& row) {
                    return !row.summable && MostCpus(row) > kMaxUnaskedCpus;
                  });
  }

  absl::optional<std::string> Text() {
    for (const std::vector<unsigned>& split : kSplits) {
      footnotes_ = Footnotes(report_.result.hosts.size(), options_.width);
      std::vector<TextGrid> grids;
      for (const unsigned parts : split) {
        if (parts != kSpread || has_spread_) grids.push_back(Grid(parts));
      }
      const bool fits = std::all_of(grids.begin(), grids.end(), [&](const TextGrid& grid) {
        return grid.Width() <= options_.width;
      });
      // One host has no better layout.
      if (fits || (!many_hosts() && &split == &kSplits.back())) return Joined(grids);
    }
    return absl::nullopt;
  }

 private:
  bool many_hosts() const { return report_.result.hosts.size() > 1; }

  std::string Joined(const std::vector<TextGrid>& grids) const {
    std::string out;
    for (const TextGrid& grid : grids) {
      absl::StrAppend(&out, out.empty() ? "" : "\n", grid.ToString());
    }
    const std::string notes = footnotes_.ToString();
    return notes.empty() ? out : absl::StrCat(out, "\n", notes);
  }

  TextGrid Grid(unsigned parts) {
    TextGrid grid;
    grid.AddColumn(parts == kSpread && many_hosts() ? "over hosts" : "event", Align::kLeft);
    AddTitles(parts, &grid);
    for (const Row& row : report_.rows) {
      const DisplayUnit unit(row);
      const bool unasked = !row.summable && MostCpus(row) > 1 && MostCpus(row) <= kMaxUnaskedCpus;
      const bool list_cpus =
          (parts & kHosts) != 0 && (options_.per_cpu || unasked) && HasCpuNumbers(row);
      std::vector<TextGrid::Cell> cells = {LabelWithUnit(row, unit)};
      if ((parts & kHosts) != 0) AddHostCells(row, unit, list_cpus, &cells);
      if ((parts & kRate) != 0) AddRateCells(row, unit, &cells);
      if ((parts & kSpread) != 0 && has_spread_) AddSpreadCells(row, unit, &cells);
      grid.AddRow(std::move(cells));
      if (list_cpus) AddCpuRows(parts, row, unit, &grid);
    }
    return grid;
  }

  void AddTitles(unsigned parts, TextGrid* grid) const {
    if ((parts & kHosts) != 0) {
      for (const HostResult& host : report_.result.hosts) grid->AddColumn(host.host, Align::kRight);
      if (many_hosts()) grid->AddColumn("total", Align::kRight);
      if (is_incomplete_) grid->AddColumn("hosts", Align::kRight);
    }
    if ((parts & kRate) != 0) {
      grid->AddColumn("rate/s", Align::kRight);
      if (is_multiplexed_) grid->AddColumn("counted", Align::kRight);
    }
    if ((parts & kSpread) != 0 && has_spread_) {
      for (const char* title : {"mean", "min", "max", "stddev"}) {
        grid->AddColumn(title, Align::kRight);
      }
    }
  }

  void AddHostCells(const Row& row, const DisplayUnit& unit, bool cpus_follow,
                    std::vector<TextGrid::Cell>* cells) {
    for (const HostCell& cell : row.cells) {
      cells->push_back(writer_.Host(row, unit, cell, cpus_follow));
    }
    if (many_hosts()) cells->push_back(writer_.Total(row, unit));
    if (is_incomplete_) cells->emplace_back(HostsOfText(row));
  }

  void AddRateCells(const Row& row, const DisplayUnit& unit,
                    std::vector<TextGrid::Cell>* cells) const {
    // One host that is not added over CPUs may still have a single counter.
    const bool of_host = !many_hosts() && !row.cells.empty();
    const absl::optional<double>& rate =
        of_host ? row.cells[0].total.rate_per_s : row.total.rate_per_s;
    cells->emplace_back(rate ? unit.RateText(*rate) : "-");
    if (is_multiplexed_) cells->emplace_back(CountedText(row));
  }

  void AddSpreadCells(const Row& row, const DisplayUnit& unit,
                      std::vector<TextGrid::Cell>* cells) const {
    const bool any = row.spread.count() > 0;
    for (const double number : {row.spread.mean(), row.spread.min(), row.spread.max()}) {
      cells->emplace_back(any ? unit.StatisticText(number) : "-");
    }
    cells->emplace_back(row.spread.count() > 1 ? unit.StatisticText(row.spread.stddev()) : "-");
  }

  void AddCpuRows(unsigned parts, const Row& row, const DisplayUnit& unit, TextGrid* grid) {
    for (const CpuPlace& place : CpuPlaces(row)) {
      std::vector<TextGrid::Cell> cells = {absl::StrCat("  ", place.Label())};
      const PerCpuValue* last = nullptr;
      for (const HostCell& cell : row.cells) {
        last = place.Find(cell);
        cells.push_back(last ? writer_.Cpu(row, unit, cell, *last) : TextGrid::Cell());
      }
      if (!many_hosts() && last != nullptr && (parts & kRate) != 0) {
        const absl::optional<double>& rate = last->value.rate_per_s;
        cells.emplace_back(rate ? unit.RateText(*rate) : "-");
        if (is_multiplexed_ && last->value.value) {
          cells.emplace_back(PercentText(last->value.running_share));
        }
      }
      grid->AddRow(std::move(cells));
    }
  }

  const Report& report_;
  const TableOptions& options_;
  Footnotes footnotes_;
  CellWriter writer_;
  bool is_incomplete_ = false;
  bool is_multiplexed_ = false;
  bool has_spread_ = false;
};

}  // namespace

absl::optional<std::string> TableInColumns(const Report& report, const TableOptions& options) {
  return ColumnsTable(report, options).Text();
}

}  // namespace pmu::client
