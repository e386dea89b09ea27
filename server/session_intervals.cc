// The numbered samples of a session with an interval.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/limits.h"
#include "server/session.h"

namespace pmu::server {
namespace {

constexpr int64_t kSoonNs = 20'000'000;

}  // namespace

void Session::BeginIntervalsLocked() {
  if (parts_.ring == nullptr) return;
  const SessionTiming& timing = status_.timing;
  intervals_.emplace(
      timing.planned_start_ns != 0 ? timing.planned_start_ns : timing.enable_begin_ns,
      parts_.request.spec.interval_ns);
  parts_.sampler->Add(weak_from_this(), intervals_->NextDueNs());
}

int64_t Session::TakeDueSample() {
  absl::MutexLock lock(&mutex_);
  if (status_.state != SessionState::kRunning) return 0;
  const int64_t due_ns = intervals_->NextDueNs();
  // The last sample has the number of a deadline that comes with the stop.
  const int64_t planned_ns = status_.timing.planned_stop_ns;
  const int64_t stop_ns = planned_ns != 0 ? planned_ns : std::numeric_limits<int64_t>::max();
  if (due_ns >= stop_ns) return due_ns + intervals_->interval_ns();
  IntervalHeader header;
  header.begin_ns = clock_->MonotonicNs();
  if (header.begin_ns < due_ns) return due_ns;  // deadlines were moved
  header.turn = intervals_->TakeDue(header.begin_ns, stop_ns);
  parts_.counters.Read(parts_.ring->NextReadings());
  header.end_ns = clock_->MonotonicNs();
  PublishLocked(header);
  return intervals_->NextDueNs();
}

void Session::PublishLocked(IntervalHeader header) {
  header.sequence = header.last ? sample_.sequence : ++sample_.sequence;
  // Before the end of an interval as short as this comes the next one.
  const bool soon = intervals_->interval_ns() < kSoonNs && !header.last;
  parts_.ring->Publish(header, soon ? SampleRing::Visible::kLater : SampleRing::Visible::kNow);
  for (const auto& [id, wake] : watchers_) wake(header.end_ns, header.last);
}

void Session::EndIntervalsLocked() {
  if (parts_.ring == nullptr) return;
  if (!intervals_.has_value()) {  // never counted
    for (const auto& [id, wake] : watchers_) wake(clock_->MonotonicNs(), true);
    return;
  }
  const SessionTiming& timing = status_.timing;
  const bool as_planned =
      timing.planned_stop_ns != 0 && timing.planned_stop_ns <= timing.disable_begin_ns;
  IntervalHeader header;
  header.turn = intervals_->TakeLast(as_planned ? timing.planned_stop_ns : timing.disable_begin_ns);
  header.last = true;
  header.begin_ns = sample_.begin_ns;
  header.end_ns = sample_.end_ns;
  const absl::Span<RawReading> readings = parts_.ring->NextReadings();
  std::copy(sample_.readings.begin(), sample_.readings.end(), readings.begin());
  PublishLocked(header);
}

absl::Status Session::AlignIntervals(uint64_t number, int64_t due_ns) {
  absl::MutexLock lock(&mutex_);
  if (status_.state != SessionState::kRunning || !intervals_.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", id(), " takes no interval samples now"));
  }
  return intervals_->Align(number, due_ns);
}

absl::StatusOr<Session::WatcherId> Session::AddWatcher(Wake wake) {
  if (parts_.ring == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", id(), " has no interval_ns: there is nothing to watch"));
  }
  absl::MutexLock lock(&mutex_);
  if (watchers_.size() >= kMaxWatchers) {
    return absl::ResourceExhaustedError(
        absl::StrCat(kMaxWatchers, " calls watch session ", id(), " already"));
  }
  if (!EndedLocked()) RenewLocked();
  watchers_.emplace(++last_watcher_, std::move(wake));
  return last_watcher_;
}

void Session::RemoveWatcher(WatcherId watcher) {
  absl::MutexLock lock(&mutex_);
  if (watchers_.erase(watcher) > 0 && !EndedLocked()) RenewLocked();
}

}  // namespace pmu::server
