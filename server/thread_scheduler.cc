#include "server/thread_scheduler.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/memory/memory.h"
#include "server/thread_rank.h"

namespace pmu::server {
namespace {

// How long before an exact time the thread wakes up, and then watches the
// clock. Waking up from poll(2) took 60 us at the median and under 150 us at
// p99 on an idle virtual machine; see docs/protocol.md, "How exact".
constexpr int64_t kWakeEarlyNs = 150'000;

}  // namespace

absl::StatusOr<std::unique_ptr<ThreadScheduler>> ThreadScheduler::Create() {
  absl::StatusOr<std::unique_ptr<SleepingTimer>> timer = SleepingTimer::Create();
  if (!timer.ok()) return timer.status();
  auto scheduler = absl::WrapUnique(new ThreadScheduler(*std::move(timer)));
  scheduler->thread_ = std::thread([raw = scheduler.get()] { raw->Run(); });
  return scheduler;
}

ThreadScheduler::ThreadScheduler(std::unique_ptr<SleepingTimer> timer)
    : clock_(SystemClock()), timer_(std::move(timer)) {}

ThreadScheduler::~ThreadScheduler() { Stop(); }

void ThreadScheduler::Stop() {
  stopping_ = true;
  timer_->Wake();
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
  // Only a new first entry changes how long the thread may sleep; one that the
  // thread itself adds is before its next look.
  if (first && std::this_thread::get_id() != thread_.get_id()) timer_->Wake();
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
  TakeRank({}).IgnoreError();  // asks for nothing that could fail
  while (!stopping_) {
    absl::optional<int64_t> next_ns;
    if (std::function<void()> due = TakeDue(&next_ns)) {
      due();
    } else if (!next_ns.has_value() || *next_ns > clock_.MonotonicNs()) {
      timer_->SleepUntil(next_ns);
    }
    // Else an exact time is less than kWakeEarlyNs away: watch the clock.
  }
}

}  // namespace pmu::server
