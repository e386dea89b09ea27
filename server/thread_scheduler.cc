#include "server/thread_scheduler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pmu::server {
namespace {

// How long before an exact time the thread wakes up, and then watches the
// clock. Waking up from poll(2) took 60 us at the median and under 150 us at
// p99 on an idle virtual machine; see docs/protocol.md, "How exact".
constexpr int64_t kWakeEarlyNs = 150'000;

// Exact times matter most on a busy machine, where an ordinary thread waits for
// its turn for milliseconds. The lowest real-time priority is enough: the work
// done at it is short. Where it is not allowed (CAP_SYS_NICE, sched(7)) the
// thread stays an ordinary one.
void AskForRealTime() {
  sched_param parameters = {};
  parameters.sched_priority = sched_get_priority_min(SCHED_FIFO);
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

timespec ToTimespec(int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<ThreadScheduler>> ThreadScheduler::Create() {
  FileDescriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid()) return absl::ErrnoToStatus(errno, "timerfd_create");
  FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  auto scheduler =
      std::unique_ptr<ThreadScheduler>(new ThreadScheduler(std::move(timer), std::move(wake)));
  scheduler->thread_ = std::thread([raw = scheduler.get()] { raw->Run(); });
  return scheduler;
}

ThreadScheduler::ThreadScheduler(FileDescriptor timer, FileDescriptor wake)
    : clock_(SystemClock()), timer_(std::move(timer)), wake_(std::move(wake)) {}

ThreadScheduler::~ThreadScheduler() { Stop(); }

void ThreadScheduler::Stop() {
  stopping_ = true;
  eventfd_write(wake_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

Scheduler::Id ThreadScheduler::At(int64_t at_ns, Precision precision,
                                  std::function<void()> action) {
  const bool exact = precision == Precision::kExact;
  Id id;
  bool first;
  {
    absl::MutexLock lock(&mutex_);
    TimerQueue& queue = exact ? exact_ : coarse_;
    const absl::optional<int64_t> next = queue.NextDeadline();
    first = !next.has_value() || at_ns < *next;
    id = queue.Add(at_ns, std::move(action)) * 2 + (exact ? 1 : 0);
  }
  // Only a new first entry changes how long the thread may sleep.
  if (first) eventfd_write(wake_.get(), 1);
  return id;
}

void ThreadScheduler::Cancel(Id id) {
  absl::MutexLock lock(&mutex_);
  (id % 2 == 1 ? exact_ : coarse_).Cancel(id / 2);
}

std::function<void()> ThreadScheduler::TakeDue(absl::optional<int64_t>* next_ns) {
  absl::MutexLock lock(&mutex_);
  const int64_t now = clock_.MonotonicNs();
  // Exact ones first; and before a coarse one is begun, an exact one that is
  // about to be due has its turn.
  const absl::optional<int64_t> exact = exact_.NextDeadline();
  const bool soon = exact.has_value() && *exact - kWakeEarlyNs <= now;
  std::function<void()> due = exact_.TakeDue(now);
  if (due == nullptr && !soon) due = coarse_.TakeDue(now);
  *next_ns = absl::nullopt;
  const absl::optional<int64_t> coarse = coarse_.NextDeadline();
  if (coarse.has_value() && !soon) *next_ns = *coarse;
  if (exact.has_value()) {
    *next_ns = std::min(next_ns->value_or(INT64_MAX), *exact - kWakeEarlyNs);
  }
  return due;
}

void ThreadScheduler::Run() {
  // Timers of this thread are not batched with those of others
  // (PR_SET_TIMERSLACK(2const)).
  prctl(PR_SET_TIMERSLACK, 1);
  AskForRealTime();
  while (!stopping_) {
    absl::optional<int64_t> next_ns;
    if (std::function<void()> due = TakeDue(&next_ns)) {
      due();
    } else if (!next_ns.has_value() || *next_ns > clock_.MonotonicNs()) {
      SleepUntil(next_ns);
    }
    // Else an exact time is less than kWakeEarlyNs away: watch the clock.
  }
}

void ThreadScheduler::SleepUntil(absl::optional<int64_t> deadline_ns) {
  itimerspec setting = {};  // all zero: disarmed
  if (deadline_ns.has_value()) setting.it_value = ToTimespec(std::max<int64_t>(*deadline_ns, 1));
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
  pollfd events[] = {{timer_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  poll(events, 2, -1);
  eventfd_t ignored;
  eventfd_read(wake_.get(), &ignored);
}

}  // namespace pmu::server
