#include "client/event_loop.h"

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include "client/grpc_time.h"

namespace pmu::client {

class EventLoop::PostedCall final : public Operation {
 public:
  PostedCall(EventLoop* loop, std::function<void()> callback)
      : loop_(loop), callback_(std::move(callback)) {}

  void Set() {
    alarm_.Set(loop_->queue_.get(), MonotonicTimespec(0), static_cast<Operation*>(this));
  }

  void Complete(bool) override {
    { absl::MutexLock wait_for_set(&loop_->post_mutex_); }
    callback_();
  }

 private:
  EventLoop* loop_;
  std::function<void()> callback_;
  grpc::Alarm alarm_;
};

EventLoop::EventLoop(const Clock& clock)
    : clock_(clock), queue_(std::make_unique<grpc::CompletionQueue>()) {}

EventLoop::~EventLoop() {
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) delete static_cast<Operation*>(tag);
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
  auto* call = new PostedCall(this, std::move(callback));
  call->Set();
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
  std::unique_ptr<Operation> operation(static_cast<Operation*>(tag));
  operation->Complete(ok);
}

}  // namespace pmu::client
