#include "common/clock.h"

#include <time.h>

namespace pmu {
namespace {

int64_t NowNs(clockid_t id) {
  timespec now;
  clock_gettime(id, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class RealClock final : public Clock {
 public:
  int64_t MonotonicNs() const override { return NowNs(CLOCK_MONOTONIC); }
  int64_t WallNs() const override { return NowNs(CLOCK_REALTIME); }
};

}  // namespace

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace pmu
