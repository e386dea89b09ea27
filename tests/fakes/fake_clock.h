// fake_clock.h: a clock that stands still until told to move. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_CLOCK_H_
#define PMU_TESTS_FAKES_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "common/clock.h"

namespace pmu {

// Thread-safe.
class FakeClock final : public Clock {
 public:
  int64_t MonotonicNs() const override { return monotonic_ns_.load(); }
  int64_t WallNs() const override { return wall_ns_.load(); }

  void Advance(int64_t ns) {
    monotonic_ns_ += ns;
    wall_ns_ += ns;
  }
  // Moves only the wall clock, as a clock step does.
  void StepWall(int64_t ns) { wall_ns_ += ns; }

 private:
  std::atomic<int64_t> monotonic_ns_{1'000'000'000'000};
  std::atomic<int64_t> wall_ns_{1'700'000'000'000'000'000};
};

}  // namespace pmu

#endif  // PMU_TESTS_FAKES_FAKE_CLOCK_H_
