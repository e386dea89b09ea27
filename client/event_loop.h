// event_loop.h: one thread that waits for many calls at once.
//
// An EventLoop wraps one gRPC completion queue. Whoever calls RunUntil drives
// it: answers of calls, timers and posted functions all run in that thread, so
// what they touch needs no locks. It has no threads of its own and never polls
// in a circle: it sleeps in the kernel until an answer, the next timer, or a
// Post.
//
// gRPC's callback API is not used on purpose: its poller threads of release
// 1.51 can leave an answer lying for 100 ms.
//
// Post is thread-safe; everything else must come from the driving thread.
// Callbacks may start calls and set or cancel timers, but must not destroy the
// loop or call RunUntil.
#ifndef PMU_CLIENT_EVENT_LOOP_H_
#define PMU_CLIENT_EVENT_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace grpc {
class Alarm;
class CompletionQueue;
}  // namespace grpc

namespace pmu::client {

class EventLoop {
 public:
  // Something under way in the completion queue; its address is the tag. The
  // loop owns it from the moment it is handed to gRPC and destroys it after
  // Complete, or without Complete when the loop itself is destroyed.
  class Operation {
   public:
    virtual ~Operation() = default;
    virtual void Complete(bool ok) = 0;
  };

  // When it is due, and a number that makes it unique.
  using TimerId = std::pair<int64_t, uint64_t>;

  // `clock` is not owned; it must be the machine's own monotonic clock, since
  // gRPC sleeps by that one.
  explicit EventLoop(const Clock& clock = SystemClock());
  // Waits for operations under way, so cancel them first.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // For starting calls; the tag must be an Operation*.
  grpc::CompletionQueue* queue() { return queue_.get(); }
  const Clock& clock() const { return clock_; }
  int64_t NowNs() const { return clock_.MonotonicNs(); }

  // Runs `callback` once at or within about 1 ms after `monotonic_ns`.
  TimerId RunAt(int64_t monotonic_ns, std::function<void()> callback);
  TimerId RunAfter(absl::Duration delay, std::function<void()> callback);
  // No effect on a timer that has run.
  void CancelTimer(const TimerId& id) { timers_.erase(id); }

  // Runs `callback` soon, in the driving thread. Thread-safe. What was posted
  // after the last RunUntil is dropped.
  void Post(std::function<void()> callback);

  // Runs callbacks until `done` holds; asks it before each.
  void RunUntil(const std::function<bool()>& done);

 private:
  bool RunDueTimer();
  void WaitForOne();
  void RunPosted();

  const Clock& clock_;
  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::map<TimerId, std::function<void()>> timers_;
  uint64_t next_timer_ = 0;

  // What was posted, and the alarm that wakes the driving thread for it; its
  // tag is the address of post_mutex_. The mutex is also held while the alarm
  // is set, so that it is not replaced before that has returned.
  absl::Mutex post_mutex_;
  std::vector<std::function<void()>> posted_ ABSL_GUARDED_BY(post_mutex_);
  std::unique_ptr<grpc::Alarm> wake_up_ ABSL_GUARDED_BY(post_mutex_);
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_EVENT_LOOP_H_
