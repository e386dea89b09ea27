// interval_plan.h: when the numbered samples of a session are due.
//
// Number n is due at origin + n x interval: deadlines are absolute, so being
// late once delays none of the later ones.
//
// Thread-compatible. Times are CLOCK_MONOTONIC of the agent, in nanoseconds.
#ifndef PMU_SERVER_INTERVAL_PLAN_H_
#define PMU_SERVER_INTERVAL_PLAN_H_

#include <cstdint>
#include <limits>

#include "absl/status/status.h"

namespace pmu::server {

class IntervalPlan {
 public:
  // What one sample is.
  struct Turn {
    uint64_t number = 0;
    int64_t due_ns = 0;
    bool late = false;
    uint64_t missed_before = 0;  // deadlines that passed without a sample
  };

  // `interval_ns` > 0. Number 0 is the start, which is no sample.
  IntervalPlan(int64_t origin_ns, int64_t interval_ns)
      : origin_ns_(origin_ns), interval_ns_(interval_ns) {}

  int64_t interval_ns() const { return interval_ns_; }
  // When the next sample is due.
  int64_t NextDueNs() const { return DueNs(next_); }

  // The sample taken at `now_ns`, which is not before NextDueNs(): of the
  // deadlines that have passed, the last one before `end_ns`. The session ends
  // then, and that deadline is TakeLast's.
  Turn TakeDue(int64_t now_ns, int64_t end_ns = std::numeric_limits<int64_t>::max());

  // The sample that ends the session at `end_ns`; its interval is shorter than
  // the others when it comes before its deadline.
  Turn TakeLast(int64_t end_ns);

  // Number `number` is due at `due_ns`, and the others at whole intervals from
  // there. INVALID_ARGUMENT: that moves deadlines by more than half an interval,
  // or `number` is out of reach.
  absl::Status Align(uint64_t number, int64_t due_ns);

 private:
  int64_t DueNs(uint64_t number) const {
    return origin_ns_ + static_cast<int64_t>(number) * interval_ns_;
  }
  Turn Take(uint64_t number);

  int64_t origin_ns_;
  const int64_t interval_ns_;
  uint64_t next_ = 1;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_INTERVAL_PLAN_H_
