// cpu_sentinel.h: whether a CPU stays online, where no counter of it can tell.
//
// The counters of a cgroup stand still whenever nothing of it runs. Beside them
// an event that counts nothing is enabled on the whole CPU, for its time alone.
//
// Owns one descriptor. Thread-compatible. Times are CLOCK_MONOTONIC in
// nanoseconds.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_CPU_SENTINEL_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_CPU_SENTINEL_H_

#include <cstdint>
#include <utility>

#include "absl/types/optional.h"
#include "common/clock.h"
#include "server/backends/perf_event/cpu_presence.h"
#include "server/backends/perf_event/perf_syscalls.h"

namespace pmu::server {

class CpuSentinel {
 public:
  // Not open. Both must outlive it.
  CpuSentinel(PerfSyscalls* syscalls, const Clock* clock, int cpu)
      : syscalls_(syscalls), clock_(clock), cpu_(cpu) {}
  ~CpuSentinel() { Close(); }
  CpuSentinel(CpuSentinel&& other) noexcept
      : syscalls_(other.syscalls_),
        clock_(other.clock_),
        cpu_(other.cpu_),
        fd_(std::exchange(other.fd_, -1)),
        presence_(other.presence_),
        away_since_ns_(other.away_since_ns_) {}
  CpuSentinel& operator=(CpuSentinel&&) = delete;

  int cpu() const { return cpu_; }
  bool is_open() const { return fd_ >= 0; }

  // Watches from now on, also once more after the CPU was away. The result is
  // that of perf_event_open(2); on an error it is as before.
  SyscallResult Open();

  // When the CPU went offline, if it has since Open. One read(2); allocates
  // nothing. Not open: it has not.
  absl::optional<int64_t> AwaySinceNs();

 private:
  void Close();

  PerfSyscalls* const syscalls_;
  const Clock* const clock_;
  const int cpu_;
  int fd_ = -1;
  CpuPresence presence_;
  absl::optional<int64_t> away_since_ns_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_CPU_SENTINEL_H_
