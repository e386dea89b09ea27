// aggregate.h: from readings to the rows of a report.
//
// Scale each reading by its own times, add over CPUs, then over hosts. What
// must not be added is kept apart per CPU and host. A row says how many of how
// many contributed: something missing never looks like a smaller sum.
// Pure; safe from any thread.
#ifndef PMU_CLIENT_AGGREGATE_H_
#define PMU_CLIENT_AGGREGATE_H_

#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "client/metric_row.h"
#include "client/result.h"
#include "common/counter_math.h"
#include "common/statistics.h"

namespace pmu::client {

// A number, or the reason why there is none.
struct Value {
  ReadingState state = ReadingState::kNotCounted;
  std::string reason;  // when there is no number; may be empty
  // Set only when state is kCounted, kOverflowSuspected or kCpuLost.
  absl::optional<absl::uint128> count;  // scaled for multiplexing, before unit scale
  absl::optional<double> value;         // count x scale, in Row::unit
  absl::optional<double> rate_per_s;    // value / measured time; unset for gauges, 0 s
  double running_share = 0;             // of the time enabled; 1: not multiplexed
  int contributing = 0;                 // counters behind the number ...
  int expected = 0;                     // ... of how many
};

// One CPU (or thread) of one host, for --per-cpu and for what is never added.
struct PerCpuValue {
  int cpu = -1;
  int tid = 0;
  Value value;
  uint64_t raw_count = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  // Time stamp counter cycles of the CPU while it counted; 0: not known.
  uint64_t tsc_cycles = 0;
};

// What one host gives to one row.
struct HostCell {
  int host = 0;  // index into MeasurementResult::hosts
  Value total;   // over CPUs; for CombineRule NONE: no number unless one counter
  std::vector<PerCpuValue> cpus;
  std::vector<std::string> warnings;
};

// One event (on one PMU family), over all hosts.
struct Row {
  int requested_index = 0;
  std::string label;  // "cycles", "cycles [cpu_core]", "cycles (sum of 2 PMUs)"
  std::string pmu;    // family; "" for software, tracepoints and sums
  std::string unit;
  double scale = 1;
  bool summable = true;  // CombineRule
  bool simulated = false;
  bool is_sum = false;          // the sum row of a hybrid event
  std::vector<HostCell> cells;  // one per host of the result, in order
  Value total;                  // over hosts; no number when not summable
  Statistics spread;            // of the hosts' values (per counter when not summable)
  int contributing_hosts = 0;
  int expected_hosts = 0;
};

struct Report {
  MeasurementResult result;
  std::vector<Row> rows;
  std::vector<MetricRow> metrics;  // filled by EvaluateMetrics, not by Aggregate
  // True when every host measured, every row has a number on every host, and
  // no CPU was lost.
  bool complete = true;
};

Report Aggregate(MeasurementResult result);

}  // namespace pmu::client

#endif  // PMU_CLIENT_AGGREGATE_H_
