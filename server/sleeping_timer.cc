#include "server/sleeping_timer.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"

namespace pmu::server {
namespace {

timespec ToTimespec(int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SleepingTimer>> SleepingTimer::Create() {
  FileDescriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid()) return absl::ErrnoToStatus(errno, "timerfd_create");
  FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  return absl::WrapUnique(new SleepingTimer(std::move(timer), std::move(wake)));
}

SleepingTimer::SleepingTimer(FileDescriptor timer, FileDescriptor wake)
    : timer_(std::move(timer)), wake_(std::move(wake)) {}

void SleepingTimer::SleepUntil(absl::optional<int64_t> deadline_ns) {
  itimerspec setting = {};  // all zero: disarmed
  if (deadline_ns.has_value()) setting.it_value = ToTimespec(std::max<int64_t>(*deadline_ns, 1));
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
  pollfd events[] = {{timer_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  poll(events, 2, -1);
  eventfd_t ignored;
  if ((events[1].revents & POLLIN) != 0) eventfd_read(wake_.get(), &ignored);
}

void SleepingTimer::Wake() { eventfd_write(wake_.get(), 1); }

}  // namespace pmu::server
