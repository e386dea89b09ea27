#include "client/event_loop.h"

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include "client/grpc_time.h"

namespace pmu::client {

EventLoop::EventLoop(const Clock& clock)
    : clock_(clock), queue_(std::make_unique<grpc::CompletionQueue>()) {}

EventLoop::~EventLoop() {
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    if (tag != &post_mutex_) delete static_cast<Operation*>(tag);
  }
}

EventLoop::TimerId EventLoop::RunAt(int64_t monotonic_ns, std::function<void()> callback) {
  const TimerId id(monotonic_ns, next_timer_++);
  timers_.emplace(id, std::move(callback));
  return id;
}

EventLoop::TimerId EventLoop::RunAfter(absl::Duration delay, std::function<void()> callback) {
  return RunAt(NowNs() + absl::ToInt64Nanoseconds(delay), std::move(callback));
}

void EventLoop::Post(std::function<void()> callback) {
  absl::MutexLock lock(&post_mutex_);
  posted_.push_back(std::move(callback));
  if (posted_.size() > 1) return;  // an alarm is on its way
  wake_up_ = std::make_unique<grpc::Alarm>();
  wake_up_->Set(queue_.get(), MonotonicTimespec(0), static_cast<void*>(&post_mutex_));
}

void EventLoop::RunPosted() {
  std::vector<std::function<void()>> callbacks;
  {
    absl::MutexLock lock(&post_mutex_);
    callbacks.swap(posted_);
  }
  for (const std::function<void()>& callback : callbacks) callback();
}

void EventLoop::RunUntil(const std::function<bool()>& done) {
  while (!done()) {
    if (!RunDueTimer()) WaitForOne();
  }
}

bool EventLoop::RunDueTimer() {
  if (timers_.empty() || timers_.begin()->first.first > NowNs()) return false;
  // Taken out first: the callback may set and cancel timers.
  std::function<void()> callback = std::move(timers_.begin()->second);
  timers_.erase(timers_.begin());
  callback();
  return true;
}

void EventLoop::WaitForOne() {
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec deadline = timers_.empty() ? gpr_inf_future(GPR_CLOCK_MONOTONIC)
                                                : MonotonicTimespec(timers_.begin()->first.first);
  if (queue_->AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return;
  if (tag == &post_mutex_) {
    RunPosted();
    return;
  }
  std::unique_ptr<Operation> operation(static_cast<Operation*>(tag));
  operation->Complete(ok);
}

}  // namespace pmu::client
