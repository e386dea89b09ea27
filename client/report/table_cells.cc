#include "client/report/table_cells.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/report/cell_state.h"
#include "client/report/number_text.h"

namespace pmu::client {
namespace {

// Below this it is shown that a counter did not count all the time. Not 1: the
// kernel's two clocks may differ by the time of one switch.
constexpr double kAllTheTime = 0.9995;

std::string WithReason(const std::string& words, const std::string& reason) {
  return reason.empty() ? words : absl::StrCat(words, ": ", reason);
}

// What must be said beside a number; "" when nothing.
std::string Caveat(const Value& value) {
  if (value.state == ReadingState::kCpuLost) {
    return WithReason("a CPU was lost, its count stands as of then", value.reason);
  }
  if (value.state == ReadingState::kOverflowSuspected) {
    return WithReason("overflow suspected, the count may be too small", value.reason);
  }
  if (value.contributing < value.expected) {
    return WithReason(
        absl::StrCat("only ", value.contributing, " of ", value.expected, " counters counted"),
        value.reason);
  }
  return "";
}

}  // namespace

TextGrid::Cell CellWriter::Number(const Value& value, const DisplayUnit& unit,
                                  const std::string& event, const std::string& host) const {
  const std::string caveat = Caveat(value);
  return {unit.Text(value), caveat.empty() ? "" : footnotes_->Add(caveat, event, host)};
}

TextGrid::Cell CellWriter::Host(const Row& row, const DisplayUnit& unit, const HostCell& cell,
                                bool cpus_follow) const {
  if (cell.total.value) return Number(cell.total, unit, RowLabel(row), HostName(cell));
  const CellStatus status = StatusOf(*report_, row, cell);
  const std::string words = CellStateWords(status.state);
  // Failed hosts are listed below the table.
  if (status.state == CellState::kHostFailed) return {words};
  if (status.state == CellState::kNotAdded) {
    return {words, footnotes_->Add(absl::StrCat("not added: each counter stands for itself",
                                                cpus_follow ? "" : " (-A shows them)"),
                                   RowLabel(row), "")};
  }
  if (status.reason.empty()) return {words};
  return {words, footnotes_->Add(WithReason(words, status.reason), RowLabel(row), HostName(cell))};
}

TextGrid::Cell CellWriter::Cpu(const Row& row, const DisplayUnit& unit, const HostCell& cell,
                               const PerCpuValue& cpu) const {
  if (cpu.value.value) return Number(cpu.value, unit, RowLabel(row), HostName(cell));
  const std::string words = CellStateWords(StatusOf(cpu.value).state);
  if (cpu.value.reason.empty()) return {words};
  return {words,
          footnotes_->Add(WithReason(words, cpu.value.reason), RowLabel(row), HostName(cell))};
}

TextGrid::Cell CellWriter::Total(const Row& row, const DisplayUnit& unit) const {
  if (!row.total.value) return {"-"};
  // What each host has to say is marked there.
  return {unit.Text(row.total)};
}

std::string RowLabel(const Row& row) {
  return row.simulated ? absl::StrCat(row.label, " (simulated)") : row.label;
}

std::string LabelWithUnit(const Row& row, const DisplayUnit& unit) {
  return unit.name().empty() ? RowLabel(row) : absl::StrCat(RowLabel(row), " (", unit.name(), ")");
}

bool IsIncomplete(const Row& row) { return row.contributing_hosts < row.expected_hosts; }

std::string HostsOfText(const Row& row) {
  return absl::StrCat(row.contributing_hosts, " of ", row.expected_hosts);
}

double CountedShare(const Row& row) {
  if (row.total.value) return row.total.running_share;
  double sum = 0;
  int count = 0;
  for (const HostCell& cell : row.cells) {
    for (const PerCpuValue& cpu : cell.cpus) {
      if (!cpu.value.value) continue;
      sum += cpu.value.running_share;
      ++count;
    }
  }
  return count == 0 ? 1 : sum / count;
}

bool IsMultiplexed(const Row& row) { return CountedShare(row) < kAllTheTime; }

std::string CountedText(const Row& row) {
  return IsMultiplexed(row) ? PercentText(CountedShare(row)) : "";
}

size_t MostCpus(const Row& row) {
  size_t most = 0;
  for (const HostCell& cell : row.cells) most = std::max(most, cell.cpus.size());
  return most;
}

bool HasCpuNumbers(const Row& row) {
  return std::any_of(row.cells.begin(), row.cells.end(), [](const HostCell& cell) {
    return std::any_of(cell.cpus.begin(), cell.cpus.end(),
                       [](const PerCpuValue& cpu) { return cpu.value.value.has_value(); });
  });
}

std::string CpuPlace::Label() const {
  if (tid != 0 && cpu >= 0) return absl::StrCat("cpu ", cpu, " tid ", tid);
  if (tid != 0) return absl::StrCat("tid ", tid);
  return cpu >= 0 ? absl::StrCat("cpu ", cpu) : "task";
}

const PerCpuValue* CpuPlace::Find(const HostCell& cell) const {
  int seen = 0;
  for (const PerCpuValue& value : cell.cpus) {
    if (value.cpu == cpu && value.tid == tid && seen++ == occurrence) return &value;
  }
  return nullptr;
}

std::vector<CpuPlace> CpuPlaces(const Row& row) {
  std::set<std::tuple<int, int, int>> places;
  for (const HostCell& cell : row.cells) {
    std::map<std::pair<int, int>, int> seen;
    for (const PerCpuValue& value : cell.cpus) {
      places.emplace(value.cpu, value.tid, seen[{value.cpu, value.tid}]++);
    }
  }
  std::vector<CpuPlace> out;
  out.reserve(places.size());
  for (const auto& [cpu, tid, occurrence] : places) out.push_back({cpu, tid, occurrence});
  return out;
}

}  // namespace pmu::client
