// fake_scheduler.h: a Scheduler driven by hand, on a FakeClock. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_SCHEDULER_H_
#define PMU_TESTS_FAKES_FAKE_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "server/scheduler.h"
#include "server/timer_queue.h"
#include "tests/fakes/fake_clock.h"

namespace pmu::server {

// Thread-compatible.
class FakeScheduler final : public Scheduler {
 public:
  // `clock` must outlive it.
  explicit FakeScheduler(FakeClock* clock) : clock_(clock) {}

  Id At(int64_t at_ns, Precision, std::function<void()> action) override {
    return queue_.Add(at_ns, std::move(action));
  }
  void Cancel(Id id) override { queue_.Cancel(id); }

  // Moves the clock by `ns`, stopping at each planned time to run what is due.
  void Advance(int64_t ns) {
    const int64_t end = clock_->MonotonicNs() + ns;
    for (auto next = queue_.NextDeadline(); next.has_value() && *next <= end;
         next = queue_.NextDeadline()) {
      if (*next > clock_->MonotonicNs()) clock_->Advance(*next - clock_->MonotonicNs());
      queue_.RunDue(clock_->MonotonicNs());
    }
    clock_->Advance(end - clock_->MonotonicNs());
  }

  size_t planned() const { return queue_.size(); }

 private:
  FakeClock* const clock_;
  TimerQueue queue_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_SCHEDULER_H_
