// cell_state.h: why a cell of a report holds a number, or none.
//
// One classification for all output formats. Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_CELL_STATE_H_
#define PMU_CLIENT_REPORT_CELL_STATE_H_

#include <string>

#include "client/aggregate.h"

namespace pmu::client {

// The states of a reading, and those that only a whole host or row can be in.
enum class CellState {
  kCounted,
  kNotCounted,
  kNotSupported,
  kOverflowSuspected,
  kCpuLost,
  kHostFailed,  // The host gave nothing; `reason` is its status.
  kNotAdded,    // There are readings, but they must not be added.
};

struct CellStatus {
  CellState state = CellState::kNotCounted;
  std::string reason;  // may be empty
};

CellStatus StatusOf(const Value& value);
// Of what one host gives to a row.
CellStatus StatusOf(const Report& report, const Row& row, const HostCell& cell);
// Of a row's total over hosts.
CellStatus StatusOfTotal(const Row& row);

// For programs: "counted", "not_counted", "host_failed".
const char* CellStateToken(CellState state);
// For people: "counted", "not counted", "failed".
const char* CellStateWords(CellState state);

// "UNAVAILABLE: connection refused", for a host's status.
std::string StatusText(const absl::Status& status);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_CELL_STATE_H_
