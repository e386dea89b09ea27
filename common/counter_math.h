// counter_math.h: what may be computed from one counter reading.
//
// The one place where multiplexed counts are scaled. Pure functions, safe to
// call from any thread.
#ifndef PMU_COMMON_COUNTER_MATH_H_
#define PMU_COMMON_COUNTER_MATH_H_

#include <cstdint>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"

namespace pmu {

// How far a reading can be trusted. Zero is only ever a measured zero: every
// other absence of a number has a state of its own.
enum class ReadingState {
  kCounted,
  kNotCounted,         // Open, but never scheduled.
  kNotSupported,       // The machine cannot count this.
  kOverflowSuspected,  // May have wrapped more often than could be seen.
  kCpuLost,            // The CPU went offline; the count stands as of then.
};

// The words used in tables: "counted", "not counted", "not supported",
// "overflow suspected", "CPU lost".
const char* ReadingStateName(ReadingState state);

// One counter read once. `raw_count` is what the counter showed since it was
// enabled, widened to 64 bits and never scaled.
struct RawReading {
  uint64_t raw_count = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  ReadingState state = ReadingState::kNotCounted;
  // CPU clock cycles (time stamp counter) from enabling to this reading; 0:
  // the counter does not carry them.
  uint64_t tsc_cycles = 0;
};

// raw_count x enabled / running, rounded down, in 128-bit arithmetic: what the
// counter would have shown had it run all the time (perf_event_open(2), "time
// running and enabled can be used to scale an estimate value for the count").
// nullopt when the counter never ran: there is no number then.
// running_ns above enabled_ns (seen by a few ns) is taken as 100%.
absl::optional<absl::uint128> ScaleCount(uint64_t raw_count, uint64_t enabled_ns,
                                         uint64_t running_ns);

// running / enabled as a fraction in [0, 1]; 0 when never enabled.
double RunningShare(uint64_t enabled_ns, uint64_t running_ns);

}  // namespace pmu

#endif  // PMU_COMMON_COUNTER_MATH_H_
