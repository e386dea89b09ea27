// result.h: what a measurement over hosts returns.
//
// Plain data, built by Measurement, read by Aggregate and the report printers.
// Copyable; thread-compatible.
#ifndef PMU_CLIENT_RESULT_H_
#define PMU_CLIENT_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "client/clock_sync.h"
#include "common/counter_math.h"
#include "proto/pmu/v1/counter.pb.h"
#include "proto/pmu/v1/host.pb.h"
#include "proto/pmu/v1/session.pb.h"

namespace pmu::client {

// One counter of one host, at the end of the measurement.
struct CounterReading {
  int cpu = -1;  // -1: follows a task
  int tid = 0;
  RawReading reading;
  std::string error;  // why this slot alone is not open
};

// One requested event on one PMU of one host, with its readings.
struct EventResult {
  pmu::v1::ResolvedEvent event;
  std::vector<CounterReading> readings;
};

// A moment on the controller's CLOCK_MONOTONIC, converted from a host's.
struct MappedTime {
  int64_t controller_ns = 0;
  int64_t error_ns = 0;  // the true moment lies within +- this
};

// Everything one host gave.
struct HostResult {
  std::string host;     // as the user wrote it
  absl::Status status;  // OK: measured. Else why not, in one line.
  // Set when the host was reached.
  absl::optional<pmu::v1::Host> identity;
  absl::optional<ClockOffset> clock;
  // Set when counting really started / ended.
  absl::optional<MappedTime> enabled;
  absl::optional<MappedTime> disabled;
  int64_t enable_took_ns = 0;  // first counter to last counter
  // Length of the measurement on the host's own clock.
  int64_t measured_ns = 0;
  std::vector<EventResult> events;
  // What the agent found while counting, a line each.
  std::vector<std::string> notes;
};

// One measurement over all hosts asked for.
struct MeasurementResult {
  std::vector<std::string> requested_events;  // as asked, in order
  std::vector<HostResult> hosts;              // in order of the host list
  bool interrupted = false;                   // ended early by the user
  // A process or a cgroup was measured: counters of CPUs where it never ran
  // are no loss.
  bool follows_task = false;
  int64_t started_wall_ns = 0;  // of the controller; a label
  // Largest minus smallest enable time over the hosts that started, and the
  // bound within which that figure is true. Unset for fewer than one host.
  absl::optional<int64_t> start_skew_ns;
  int64_t start_skew_error_ns = 0;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_RESULT_H_
