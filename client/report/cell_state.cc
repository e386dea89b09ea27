#include "client/report/cell_state.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace pmu::client {
namespace {

CellState FromReading(ReadingState state) {
  switch (state) {
    case ReadingState::kCounted:
      return CellState::kCounted;
    case ReadingState::kNotCounted:
      return CellState::kNotCounted;
    case ReadingState::kNotSupported:
      return CellState::kNotSupported;
    case ReadingState::kOverflowSuspected:
      return CellState::kOverflowSuspected;
    case ReadingState::kCpuLost:
      return CellState::kCpuLost;
  }
  return CellState::kNotCounted;
}

bool HasCpuNumbers(const HostCell& cell) {
  return std::any_of(cell.cpus.begin(), cell.cpus.end(),
                     [](const PerCpuValue& cpu) { return cpu.value.value.has_value(); });
}

}  // namespace

CellStatus StatusOf(const Value& value) { return {FromReading(value.state), value.reason}; }

CellStatus StatusOf(const Report& report, const Row& row, const HostCell& cell) {
  if (!cell.total.value.has_value()) {
    const HostResult& host = report.result.hosts[cell.host];
    if (!host.status.ok()) return {CellState::kHostFailed, StatusText(host.status)};
    if (!row.summable && HasCpuNumbers(cell)) {
      return {CellState::kNotAdded, "each counter stands for itself"};
    }
  }
  return StatusOf(cell.total);
}

CellStatus StatusOfTotal(const Row& row) {
  if (!row.summable) return {CellState::kNotAdded, "each counter stands for itself"};
  return StatusOf(row.total);
}

const char* CellStateToken(CellState state) {
  switch (state) {
    case CellState::kCounted:
      return "counted";
    case CellState::kNotCounted:
      return "not_counted";
    case CellState::kNotSupported:
      return "not_supported";
    case CellState::kOverflowSuspected:
      return "overflow_suspected";
    case CellState::kCpuLost:
      return "cpu_lost";
    case CellState::kHostFailed:
      return "host_failed";
    case CellState::kNotAdded:
      return "not_added";
  }
  return "not_counted";
}

const char* CellStateWords(CellState state) {
  switch (state) {
    case CellState::kCounted:
      return "counted";
    case CellState::kNotCounted:
      return "not counted";
    case CellState::kNotSupported:
      return "not supported";
    case CellState::kOverflowSuspected:
      return "overflow suspected";
    case CellState::kCpuLost:
      return "CPU lost";
    case CellState::kHostFailed:
      return "failed";
    case CellState::kNotAdded:
      return "-";
  }
  return "not counted";
}

std::string StatusText(const absl::Status& status) {
  if (status.ok()) return "OK";
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                      absl::string_view(status.message()));
}

}  // namespace pmu::client
