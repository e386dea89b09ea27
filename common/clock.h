// clock.h: the two clocks, behind a seam so that tests need not sleep.
#ifndef PMU_COMMON_CLOCK_H_
#define PMU_COMMON_CLOCK_H_

#include <cstdint>

namespace pmu {

// Implementations are thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // CLOCK_MONOTONIC in nanoseconds: the only clock that orders or spaces
  // anything.
  virtual int64_t MonotonicNs() const = 0;

  // CLOCK_REALTIME in nanoseconds: a label for people; it may jump.
  virtual int64_t WallNs() const = 0;
};

// The system's clocks. Lives for ever.
const Clock& SystemClock();

}  // namespace pmu

#endif  // PMU_COMMON_CLOCK_H_
