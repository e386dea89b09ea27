#include "client/report/table_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/report/cell_state.h"
#include "client/report/footnotes.h"
#include "client/report/number_text.h"
#include "client/report/table_cells.h"
#include "client/report/text_grid.h"
#include "common/host_list.h"
#include "common/text.h"

namespace pmu::client {
namespace {

// Farther than this from the mean, a host stands out.
constexpr double kOutlierStddevs = 2;
constexpr size_t kMaxOutlierGroups = 6;

// Hosts that show the same text.
struct HostGroup {
  std::string text;
  double number = 0;
  std::vector<std::string> hosts;
};

void AddToGroup(const std::string& host, const std::string& text, double number,
                std::vector<HostGroup>* groups) {
  auto same = [&](const HostGroup& group) { return group.text == text; };
  auto group = std::find_if(groups->begin(), groups->end(), same);
  if (group == groups->end()) group = groups->insert(groups->end(), {text, number, {}});
  group->hosts.push_back(host);
}

class Block {
 public:
  Block(const Report& report, const Row& row, const TableOptions& options, Footnotes* footnotes)
      : report_(report), row_(row), options_(options), unit_(row), writer_(&report, footnotes) {}

  std::string Text() const {
    std::string out = Printable(LabelWithUnit(row_, unit_));
    absl::StrAppend(&out, "\n", TotalLine(), SpreadLine());
    if (row_.cells.size() <= kMaxListedHosts) {
      absl::StrAppend(&out, EachHostLines());
    } else {
      absl::StrAppend(&out, OutlierLine(), NoNumberLine());
    }
    if (options_.per_cpu && HasCpuNumbers(row_)) absl::StrAppend(&out, CpuLines());
    return out;
  }

 private:
  std::string Items(absl::string_view title, const std::vector<std::string>& items) const {
    return WrapItems(PadRight(absl::StrCat("  ", title), 13), items, options_.width);
  }

  std::string TotalLine() const {
    std::vector<std::string> items;
    if (row_.total.value) {
      items.push_back(writer_.Total(row_, unit_).text);
    } else {
      items.emplace_back(row_.summable ? "-" : "- (not added: each counter stands for itself)");
    }
    items.push_back(absl::StrCat(HostsOfText(row_), " hosts"));
    if (row_.total.rate_per_s) {
      items.push_back(absl::StrCat(unit_.RateText(*row_.total.rate_per_s), "/s"));
    }
    if (IsMultiplexed(row_)) items.push_back(absl::StrCat("counted ", CountedText(row_)));
    return Items("total", items);
  }

  // " (n017)", the host or hosts that show this number; "" when many do.
  std::string WhoText(double number) const {
    std::vector<std::string> hosts;
    for (const HostCell& cell : row_.cells) {
      const bool in_total = cell.total.value && *cell.total.value == number;
      const bool in_cpu = !row_.summable && std::any_of(cell.cpus.begin(), cell.cpus.end(),
                                                        [&](const PerCpuValue& cpu) {
                                                          return cpu.value.value == number;
                                                        });
      if (in_total || in_cpu) hosts.push_back(writer_.HostName(cell));
    }
    const std::string folded = FoldHostList(hosts);
    return hosts.empty() || folded.size() > 24 ? "" : absl::StrCat(" (", folded, ")");
  }

  std::string SpreadLine() const {
    const Statistics& spread = row_.spread;
    const char* title = row_.summable ? "per host" : "per counter";
    if (spread.count() == 0) return "";
    if (spread.count() > 1 && spread.min() == spread.max()) {
      return Items(title, {absl::StrCat("all equal: ", unit_.StatisticText(spread.min()))});
    }
    std::vector<std::string> items = {
        absl::StrCat("mean ", unit_.StatisticText(spread.mean())),
        absl::StrCat("min ", unit_.StatisticText(spread.min()), WhoText(spread.min())),
        absl::StrCat("max ", unit_.StatisticText(spread.max()), WhoText(spread.max()))};
    if (spread.count() > 1) {
      std::string stddev = absl::StrCat("stddev ", unit_.StatisticText(spread.stddev()));
      if (spread.mean() != 0) {
        const double percent = 100 * std::fabs(spread.stddev() / spread.mean());
        absl::StrAppend(&stddev, " (", percent < 0.1 ? "<0.1" : DecimalText(percent, 1), "%)");
      }
      items.push_back(std::move(stddev));
    }
    return Items(title, items);
  }

  std::string EachHostLines() const {
    std::vector<HostGroup> groups;
    for (const HostCell& cell : row_.cells) {
      const TextGrid::Cell text = writer_.Host(row_, unit_, cell, options_.per_cpu);
      AddToGroup(writer_.HostName(cell), text.text + text.mark, 0, &groups);
    }
    size_t width = 0;
    std::vector<std::string> items;
    for (const HostGroup& group : groups) {
      items.push_back(Printable(absl::StrCat(FoldHostList(group.hosts), " ", group.text)));
      width = std::max(width, DisplayWidth(items.back()));
    }
    for (std::string& item : items) item = PadRight(item, width);
    return Items("each", items);
  }

  std::string OutlierLine() const {
    const double mean = row_.spread.mean();
    const double stddev = row_.spread.stddev();
    if (!(stddev > 0) || !row_.summable) return "";
    std::vector<HostGroup> groups;
    for (const HostCell& cell : row_.cells) {
      if (!cell.total.value) continue;
      const double distance = (*cell.total.value - mean) / stddev;
      if (std::fabs(distance) <= kOutlierStddevs) continue;
      AddToGroup(writer_.HostName(cell), unit_.Text(cell.total), distance, &groups);
    }
    if (groups.empty()) return Items("outliers", {"none beyond 2 stddev"});
    std::stable_sort(groups.begin(), groups.end(), [](const HostGroup& a, const HostGroup& b) {
      return std::fabs(a.number) > std::fabs(b.number);
    });
    std::vector<std::string> items;
    size_t rest = 0;
    for (const HostGroup& group : groups) {
      if (items.size() == kMaxOutlierGroups) {
        rest += group.hosts.size();
        continue;
      }
      items.push_back(absl::StrCat(FoldHostList(group.hosts), " ", group.text, " (",
                                   group.number > 0 ? "+" : "", DecimalText(group.number, 1),
                                   " stddev)"));
    }
    if (rest > 0) items.push_back(absl::StrCat("and ", rest, " more hosts beyond 2 stddev"));
    return Items("outliers", items);
  }

  // Hosts that measured but have nothing for this event.
  std::string NoNumberLine() const {
    std::vector<HostGroup> groups;
    for (const HostCell& cell : row_.cells) {
      const CellState state = StatusOf(report_, row_, cell).state;
      if (cell.total.value || state == CellState::kHostFailed || state == CellState::kNotAdded) {
        continue;
      }
      const TextGrid::Cell text = writer_.Host(row_, unit_, cell, false);
      AddToGroup(writer_.HostName(cell), text.text + text.mark, 0, &groups);
    }
    if (groups.empty()) return "";
    std::vector<std::string> items;
    items.reserve(groups.size());
    for (const HostGroup& group : groups) {
      items.push_back(absl::StrCat(HostsText(group.hosts, row_.cells.size()), " ", group.text));
    }
    return Items("no number", items);
  }

  std::string CpuLines() const {
    std::string out;
    for (const CpuPlace& place : CpuPlaces(row_)) {
      std::vector<std::string> items;
      for (const HostCell& cell : row_.cells) {
        const PerCpuValue* cpu = place.Find(cell);
        if (cpu == nullptr) continue;
        const TextGrid::Cell text = writer_.Cpu(row_, unit_, cell, *cpu);
        items.push_back(absl::StrCat(writer_.HostName(cell), " ", text.text, text.mark));
      }
      out += Items(place.Label(), items);
    }
    return out;
  }

  const Report& report_;
  const Row& row_;
  const TableOptions& options_;
  DisplayUnit unit_;
  CellWriter writer_;
};

}  // namespace

std::string TableInBlocks(const Report& report, const TableOptions& options) {
  Footnotes footnotes(report.result.hosts.size(), options.width);
  std::string out;
  for (const Row& row : report.rows) out += Block(report, row, options, &footnotes).Text();
  const std::string notes = footnotes.ToString();
  return notes.empty() ? out : absl::StrCat(out, "\n", notes);
}

}  // namespace pmu::client
