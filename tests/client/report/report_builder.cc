#include "tests/client/report/report_builder.h"

#include <utility>

namespace pmu::client {
namespace {

constexpr int64_t kMeasuredNs = 5'000'000'000;
constexpr double kMeasuredS = 5;

void FinishRow(Row* row) {
  row->expected_hosts = static_cast<int>(row->cells.size());
  absl::uint128 count = 0;
  double value = 0;
  double share = 0;
  for (const HostCell& cell : row->cells) {
    if (!row->summable) {
      for (const PerCpuValue& cpu : cell.cpus) {
        if (cpu.value.value) row->spread.Add(*cpu.value.value);
      }
    }
    const bool has_number = cell.total.value.has_value() || (!row->summable && !cell.cpus.empty());
    if (!has_number) continue;
    ++row->contributing_hosts;
    if (!cell.total.value) continue;
    count += *cell.total.count;
    value += *cell.total.value;
    share += cell.total.running_share;
    if (row->summable) row->spread.Add(*cell.total.value);
  }
  if (row->contributing_hosts == 0 || !row->summable) return;
  row->total.state = ReadingState::kCounted;
  row->total.count = count;
  row->total.value = value;
  row->total.rate_per_s = value / kMeasuredS;
  row->total.running_share = share / row->contributing_hosts;
  row->total.contributing = row->total.expected = row->contributing_hosts;
}

}  // namespace

Value Counted(uint64_t count, double scale, double running_share) {
  Value value;
  value.state = ReadingState::kCounted;
  value.count = count;
  value.value = static_cast<double>(count) * scale;
  value.rate_per_s = *value.value / kMeasuredS;
  value.running_share = running_share;
  value.contributing = value.expected = 1;
  return value;
}

Value Missing(ReadingState state, std::string reason) {
  Value value;
  value.state = state;
  value.reason = std::move(reason);
  value.expected = 1;
  return value;
}

ReportBuilder::ReportBuilder(const std::vector<std::string>& hosts) {
  for (const std::string& name : hosts) {
    HostResult host;
    host.host = name;
    host.clock = ClockOffset{1'000'000'000'000, 60'000, 0};
    host.enabled = MappedTime{10'000'000'000, 60'000};
    host.measured_ns = kMeasuredNs;
    report_.result.hosts.push_back(std::move(host));
  }
  report_.result.start_skew_ns = 41'000;
  report_.result.start_skew_error_ns = 60'000;
  report_.result.started_wall_ns = 1'700'000'000'123'456'789;
}

Row& ReportBuilder::AddEvent(const std::string& name, const std::vector<uint64_t>& counts,
                             const std::string& unit, double scale) {
  Row row;
  row.requested_index = static_cast<int>(report_.result.requested_events.size());
  report_.result.requested_events.push_back(name);
  row.label = name;
  row.unit = unit;
  row.scale = scale;
  for (size_t i = 0; i < counts.size(); ++i) {
    HostCell cell;
    cell.host = static_cast<int>(i);
    cell.total = Counted(counts[i], scale);
    row.cells.push_back(std::move(cell));
  }
  report_.rows.push_back(std::move(row));
  return report_.rows.back();
}

void ReportBuilder::FailHost(int host, absl::Status status) {
  HostResult& failed = report_.result.hosts[static_cast<size_t>(host)];
  failed.status = std::move(status);
  failed.clock.reset();
  failed.enabled.reset();
  failed.measured_ns = 0;
  for (Row& row : report_.rows) {
    row.cells[static_cast<size_t>(host)].total = Missing(ReadingState::kNotCounted, "");
    row.cells[static_cast<size_t>(host)].cpus.clear();
  }
}

Report ReportBuilder::Build() {
  for (Row& row : report_.rows) {
    FinishRow(&row);
    if (row.contributing_hosts < row.expected_hosts) report_.complete = false;
  }
  return report_;
}

void SetCpus(const std::vector<uint64_t>& counts, HostCell* cell) {
  for (size_t i = 0; i < counts.size(); ++i) {
    PerCpuValue cpu;
    cpu.cpu = static_cast<int>(i);
    cpu.value = Counted(counts[i]);
    cpu.raw_count = counts[i];
    cpu.enabled_ns = cpu.running_ns = kMeasuredNs;
    cell->cpus.push_back(std::move(cpu));
  }
}

}  // namespace pmu::client
