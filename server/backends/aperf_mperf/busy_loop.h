// busy_loop.h: keeps one CPU busy for a moment, so that its clocks run.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_BUSY_LOOP_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_BUSY_LOOP_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"

namespace pmu::server {

// Returns after `duration_ns` during which a thread of ours ran on `cpu`.
// UNAVAILABLE: no thread may run there (the CPU is offline, or outside the
// agent's cpuset).
using BusyLoop = std::function<absl::Status(int cpu, int64_t duration_ns)>;

// A thread of its own, bound to the CPU. Safe to call from any thread.
absl::Status KeepCpuBusy(int cpu, int64_t duration_ns);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_BUSY_LOOP_H_
