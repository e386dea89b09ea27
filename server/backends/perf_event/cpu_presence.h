// cpu_presence.h: whether a CPU stayed online, told by a counter of it.
//
// The kernel switches the counters of a CPU that goes offline off, for good and
// without an error: their enabled time falls behind the clock. That is compared
// over the latest second or two only, so that little slack is needed however
// long a session counts.
//
// Thread-compatible. Times are CLOCK_MONOTONIC in nanoseconds.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_CPU_PRESENCE_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_CPU_PRESENCE_H_

#include <cstdint>

namespace pmu::server {

class CpuPresence {
 public:
  // The counter had been enabled for `enabled_ns` when it was read, or was
  // enabled, before `now_ns`. What comes is compared with that.
  void Mark(int64_t now_ns, uint64_t enabled_ns = 0) {
    marked_ = true;
    mark_ns_ = now_ns;
    mark_enabled_ns_ = static_cast<int64_t>(enabled_ns);
  }
  bool marked() const { return marked_; }

  // A read at or after `now_ns` gave `enabled_ns`: whether the counter stood
  // still meanwhile. False before the first mark.
  bool WentAway(int64_t now_ns, uint64_t enabled_ns) const;

  // Whether a new mark is due at `now_ns`.
  bool WantsMark(int64_t now_ns) const;

  // When the CPU went away, if the counter stood still at `enabled_ns`.
  int64_t AwaySinceNs(uint64_t enabled_ns) const {
    return mark_ns_ + static_cast<int64_t>(enabled_ns) - mark_enabled_ns_;
  }

 private:
  bool marked_ = false;
  int64_t mark_ns_ = 0;
  int64_t mark_enabled_ns_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_CPU_PRESENCE_H_
