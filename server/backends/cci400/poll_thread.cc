#include "server/backends/cci400/poll_thread.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <utility>

#include "absl/memory/memory.h"

namespace pmu::server {

absl::StatusOr<std::unique_ptr<PollThread>> PollThread::Start(std::function<int64_t()> poll) {
  const int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (timer_fd >= 0 && stop_fd >= 0) {
    return absl::WrapUnique(new PollThread(timer_fd, stop_fd, std::move(poll)));
  }
  if (timer_fd >= 0) close(timer_fd);
  if (stop_fd >= 0) close(stop_fd);
  return absl::ResourceExhaustedError(
      "no file descriptor left for the timer that polls the counters: raise the agent's limit "
      "(ulimit -n)");
}

PollThread::PollThread(int timer_fd, int stop_fd, std::function<int64_t()> poll)
    : timer_fd_(timer_fd), stop_fd_(stop_fd), poll_(std::move(poll)), thread_([this] { Run(); }) {}

PollThread::~PollThread() {
  const uint64_t one = 1;
  // Cannot fail: the event's count is 0.
  (void)!write(stop_fd_, &one, sizeof(one));
  thread_.join();
  close(timer_fd_);
  close(stop_fd_);
}

void PollThread::Run() {
  while (true) {
    const int64_t delay_ns = poll_();
    if (delay_ns < 0 || !Sleep(delay_ns)) return;
  }
}

bool PollThread::Sleep(int64_t delay_ns) {
  itimerspec timer = {};
  timer.it_value.tv_sec = delay_ns / 1'000'000'000;
  timer.it_value.tv_nsec = delay_ns % 1'000'000'000;
  timerfd_settime(timer_fd_, 0, &timer, nullptr);  // All zero disarms it.
  pollfd events[2] = {{stop_fd_, POLLIN, 0}, {timer_fd_, POLLIN, 0}};
  while (poll(events, 2, delay_ns == 0 ? 0 : -1) < 0 && errno == EINTR) {
  }
  return (events[0].revents & POLLIN) == 0;
}

}  // namespace pmu::server
