// thread_scheduler.h: a Scheduler with one thread and a timerfd.
//
// The thread does not wake up when there is nothing to do.
//
// For exact times it wakes up early and watches the clock for the rest, so
// that the delay of waking up (timer interrupt, leaving an idle state,
// scheduling) does not show.
//
// Thread-safe. The destructor stops the thread; what has not run never does.
#ifndef PMU_SERVER_THREAD_SCHEDULER_H_
#define PMU_SERVER_THREAD_SCHEDULER_H_

#include <atomic>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "common/clock.h"
#include "server/scheduler.h"
#include "server/sleeping_timer.h"
#include "server/timer_queue.h"

namespace pmu::server {

class ThreadScheduler final : public Scheduler {
 public:
  // Errors: those of timerfd_create(2) and eventfd(2).
  static absl::StatusOr<std::unique_ptr<ThreadScheduler>> Create();
  ~ThreadScheduler() override;

  Id At(int64_t at_ns, Precision precision, std::function<void()> action) override;
  void Cancel(Id id) override;

  // Ends the thread and waits for an action under way. Idempotent.
  void Stop();

 private:
  explicit ThreadScheduler(std::unique_ptr<SleepingTimer> timer);
  void Run();
  // Takes what is due now: an action, or when to look again.
  std::function<void()> TakeDue(absl::optional<int64_t>* next_ns);

  const Clock& clock_;
  const std::unique_ptr<SleepingTimer> timer_;
  std::atomic<bool> stopping_{false};
  absl::Mutex mutex_;
  // The two kinds have ids of different parity, see At.
  TimerQueue exact_ ABSL_GUARDED_BY(mutex_);
  TimerQueue coarse_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_THREAD_SCHEDULER_H_
