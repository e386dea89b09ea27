#include "server/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "server/limits.h"
#include "server/log.h"

namespace pmu::server {
namespace {

// A start that comes later than this is worth a line in the log.
constexpr int64_t kLateStartNs = 10'000'000;

constexpr int64_t kUpkeepNs = 1'000'000'000;

}  // namespace

const char* SessionStateName(SessionState state) {
  switch (state) {
    case SessionState::kArmed:
      return "ARMED";
    case SessionState::kRunning:
      return "RUNNING";
    case SessionState::kStopped:
      return "STOPPED";
    case SessionState::kFailed:
      return "FAILED";
    case SessionState::kExpired:
      return "EXPIRED";
  }
  return "";
}

std::shared_ptr<Session> Session::Create(Parts parts, Scheduler* scheduler, const Clock* clock) {
  auto session = std::shared_ptr<Session>(new Session(std::move(parts), scheduler, clock));
  absl::MutexLock lock(&session->mutex_);
  session->RenewLocked();
  session->WatchLeaseLocked();
  return session;
}

absl::Status Session::LimitCycles(uint64_t cycles) {
  absl::MutexLock lock(&mutex_);
  return parts_.counters.SetCycleLimit({cycles, [weak = weak_from_this()] {
                                          // Whoever calls holds the counters: ending comes from the
                                          // scheduler.
                                          const std::shared_ptr<Session> session = weak.lock();
                                          if (session == nullptr) return;
                                          session->scheduler_->At(
                                              session->clock_->MonotonicNs(),
                                              Scheduler::Precision::kCoarse, [weak] {
                                                if (const auto alive = weak.lock())
                                                  alive->OnCyclesReached();
                                              });
                                        }});
}

Session::Session(Parts parts, Scheduler* scheduler, const Clock* clock)
    : scheduler_(scheduler),
      clock_(clock),
      created_wall_ns_(clock->WallNs()),
      parts_(std::move(parts)),
      slots_(parts_.counters.slots()) {
  status_.descriptors = parts_.counters.descriptor_count();
  sample_.readings.resize(slots_.size());
}

SessionStatus Session::Status() const {
  absl::MutexLock lock(&mutex_);
  return status_;
}

bool Session::EndedLocked() const {
  return status_.state != SessionState::kArmed && status_.state != SessionState::kRunning;
}

void Session::RenewLocked() {
  status_.lease_expires_ns = clock_->MonotonicNs() + parts_.request.spec.lease_ns;
}

Scheduler::Id Session::ScheduleLocked(int64_t at_ns, Scheduler::Precision precision,
                                      void (Session::*action)()) {
  return scheduler_->At(at_ns, precision, [weak = weak_from_this(), action] {
    if (const std::shared_ptr<Session> session = weak.lock()) ((*session).*action)();
  });
}

absl::Status Session::CheckTriggerLocked(int64_t start_at_ns, int64_t stop_at_ns) const {
  if (status_.state != SessionState::kArmed) {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", id(), " is ", SessionStateName(status_.state),
                     status_.failure.empty() ? "" : ": ", status_.failure,
                     "; only an ARMED session can be started"));
  }
  if (triggered_) {
    return absl::FailedPreconditionError(absl::StrCat("session ", id(),
                                                      " is already planned to start at ",
                                                      status_.timing.planned_start_ns, " ns"));
  }
  const int64_t now = clock_->MonotonicNs();
  if (start_at_ns != 0 && start_at_ns <= now) {
    return absl::OutOfRangeError(absl::StrCat("start_at_ns ", start_at_ns,
                                              " is past: this agent's clock is at ", now,
                                              "; probe its clock and plan further ahead"));
  }
  if (start_at_ns != 0 && start_at_ns - now > kMaxStartAheadNs) {
    return absl::OutOfRangeError(absl::StrCat("start_at_ns ", start_at_ns,
                                              " is more than an hour ahead of this agent's clock, ",
                                              now, "; is it this agent's time?"));
  }
  if (stop_at_ns != 0 && stop_at_ns <= std::max(start_at_ns, now)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "stop_at_ns ", stop_at_ns, " is not after the start at ", std::max(start_at_ns, now)));
  }
  return absl::OkStatus();
}

absl::Status Session::Trigger(int64_t start_at_ns, int64_t stop_at_ns) {
  Aftermath aftermath;
  absl::Status status;
  {
    absl::MutexLock lock(&mutex_);
    if (!EndedLocked()) RenewLocked();
    // A retry whose first answer was lost.
    if (triggered_ && start_at_ns != 0 && start_at_ns == status_.timing.planned_start_ns &&
        stop_at_ns == trigger_stop_ns_) {
      return absl::OkStatus();
    }
    status = CheckTriggerLocked(start_at_ns, stop_at_ns);
    if (!status.ok()) return status;
    triggered_ = true;
    trigger_stop_ns_ = stop_at_ns;
    status_.timing.planned_start_ns = start_at_ns;
    if (stop_at_ns != 0) PlanStopLocked(stop_at_ns);
    if (start_at_ns == 0) {
      status = BeginLocked(&aftermath);
    } else {
      start_timer_ =
          ScheduleLocked(start_at_ns, Scheduler::Precision::kExact, &Session::OnStartTime);
    }
  }
  Finish(aftermath);
  return status;
}

absl::Status Session::BeginLocked(Aftermath* aftermath) {
  status_.timing.enable_begin_ns = clock_->MonotonicNs();
  absl::Status status = parts_.counters.Enable();
  status_.timing.enable_end_ns = clock_->MonotonicNs();
  if (status.ok()) {
    status_.state = SessionState::kRunning;
    BeginIntervalsLocked();
    PlanUpkeepLocked();
  } else {
    status = absl::InternalError(absl::StrCat("counters could not be enabled: ", status.message()));
    EndLocked(SessionState::kFailed, std::string(status.message()), aftermath);
  }
  return status;
}

void Session::OnStartTime() {
  Aftermath aftermath;
  int64_t late_ns = 0;
  {
    absl::MutexLock lock(&mutex_);
    if (status_.state != SessionState::kArmed) return;
    start_timer_ = 0;
    BeginLocked(&aftermath).IgnoreError();  // the failure is in status_
    late_ns = status_.timing.enable_begin_ns - status_.timing.planned_start_ns;
  }
  if (late_ns > kLateStartNs) {
    Log(LogLevel::kWarning, absl::StrCat("session ", id(), " started ", late_ns / 1'000'000,
                                         " ms later than planned: the agent was held up"));
  }
  Finish(aftermath);
}

void Session::Read(absl::FunctionRef<void(const Sample&, SessionState)> use) {
  absl::MutexLock lock(&mutex_);
  if (!EndedLocked()) {
    RenewLocked();
    TakeSampleLocked();
  }
  use(sample_, status_.state);
}

void Session::TakeSampleLocked() {
  ++sample_.sequence;
  sample_.begin_ns = clock_->MonotonicNs();
  if (status_.state == SessionState::kRunning) {
    parts_.counters.Read(absl::MakeSpan(sample_.readings));
  } else {
    for (size_t i = 0; i < slots_.size(); ++i) {
      sample_.readings[i].state =
          slots_[i].status.ok() ? ReadingState::kNotCounted : ReadingState::kNotSupported;
    }
  }
  sample_.end_ns = clock_->MonotonicNs();
}

void Session::PlanStopLocked(int64_t stop_at_ns) {
  if (stop_timer_ != 0) scheduler_->Cancel(stop_timer_);
  status_.timing.planned_stop_ns = stop_at_ns;
  stop_timer_ = ScheduleLocked(stop_at_ns, Scheduler::Precision::kExact, &Session::OnStopTime);
}

Session::WaiterId Session::Stop(int64_t stop_at_ns, StopDone done) {
  Aftermath aftermath;
  {
    absl::MutexLock lock(&mutex_);
    if (!EndedLocked()) {
      RenewLocked();
      if (stop_at_ns <= clock_->MonotonicNs()) {
        EndLocked(SessionState::kStopped, "", &aftermath);
      } else if (waiters_.size() < kMaxStopWaiters) {
        PlanStopLocked(stop_at_ns);
        waiters_.emplace(++last_waiter_, std::move(done));
        return last_waiter_;
      } else {
        aftermath.answer = absl::ResourceExhaustedError(absl::StrCat(
            kMaxStopWaiters, " Stop calls wait for the end of session ", id(), " already"));
      }
    }
  }
  Finish(aftermath);
  done(aftermath.answer);
  return 0;
}

bool Session::AbandonStop(WaiterId waiter) {
  absl::MutexLock lock(&mutex_);
  if (waiters_.erase(waiter) == 0) return false;
  RenewLocked();  // until now the call itself was the sign of life
  return true;
}

void Session::OnStopTime() {
  Aftermath aftermath;
  {
    absl::MutexLock lock(&mutex_);
    // A stop that was moved to later may have been on its way already.
    if (EndedLocked() || clock_->MonotonicNs() < status_.timing.planned_stop_ns) return;
    stop_timer_ = 0;
    EndLocked(SessionState::kStopped, "", &aftermath);
  }
  Finish(aftermath);
}

void Session::OnCyclesReached() {
  Aftermath aftermath;
  {
    absl::MutexLock lock(&mutex_);
    if (EndedLocked()) return;
    EndLocked(SessionState::kStopped, "", &aftermath);
  }
  Finish(aftermath);
}

void Session::EndLocked(SessionState state, std::string failure, Aftermath* aftermath) {
  absl::Status disabled;
  if (status_.state == SessionState::kRunning) {
    status_.timing.disable_begin_ns = clock_->MonotonicNs();
    disabled = parts_.counters.Disable();
    status_.timing.disable_end_ns = clock_->MonotonicNs();
  }
  TakeSampleLocked();
  status_.notes = parts_.counters.Notes();
  parts_.counters.Close();
  parts_.machine_hold.reset();
  status_.descriptors = 0;
  status_.state = state;
  status_.failure = std::move(failure);
  if (!disabled.ok()) {
    status_.state = SessionState::kFailed;
    status_.failure = absl::StrCat("counters could not be disabled: ", disabled.message());
  }
  for (Scheduler::Id* timer : {&start_timer_, &stop_timer_, &lease_timer_, &upkeep_timer_}) {
    if (*timer != 0) scheduler_->Cancel(*timer);
    *timer = 0;
  }
  has_ended_ = true;
  EndIntervalsLocked();
  aftermath->ended = true;
  aftermath->waiters.swap(waiters_);
}

void Session::Finish(const Aftermath& aftermath) {
  for (const auto& [waiter, done] : aftermath.waiters) done(aftermath.answer);
  if (aftermath.ended) parts_.on_ended(*this);
}

void Session::WatchLeaseLocked() {
  lease_timer_ = ScheduleLocked(status_.lease_expires_ns, Scheduler::Precision::kCoarse,
                                &Session::OnLeaseTime);
}

void Session::OnLeaseTime() {
  Aftermath aftermath;
  {
    absl::MutexLock lock(&mutex_);
    if (EndedLocked()) return;
    lease_timer_ = 0;
    // A client waits for our answer, or watches.
    if (!waiters_.empty() || !watchers_.empty()) RenewLocked();
    // Renewing moves only the time, not the timer: a Read costs no timer.
    if (status_.lease_expires_ns > clock_->MonotonicNs()) {
      WatchLeaseLocked();
      return;
    }
    EndLocked(SessionState::kExpired,
              absl::StrCat("no call named the session for ",
                           parts_.request.spec.lease_ns / 1'000'000, " ms, its lease"),
              &aftermath);
  }
  Finish(aftermath);
}

void Session::PlanUpkeepLocked() {
  const int64_t interval_ns = parts_.request.spec.interval_ns;
  if (interval_ns != 0 && interval_ns <= kUpkeepNs) return;  // its samples do as well
  upkeep_timer_ = ScheduleLocked(clock_->MonotonicNs() + kUpkeepNs, Scheduler::Precision::kCoarse,
                                 &Session::OnUpkeepTime);
}

void Session::OnUpkeepTime() {
  absl::MutexLock lock(&mutex_);
  if (status_.state != SessionState::kRunning) return;
  parts_.counters.Upkeep();
  PlanUpkeepLocked();
}

absl::StatusOr<int64_t> Session::Renew() {
  absl::MutexLock lock(&mutex_);
  if (EndedLocked()) {
    return absl::FailedPreconditionError(
        absl::StrCat("session ", id(), " has ended: it is ", SessionStateName(status_.state),
                     status_.failure.empty() ? "" : ": ", status_.failure));
  }
  RenewLocked();
  return status_.lease_expires_ns;
}

void Session::Shutdown() {
  Aftermath aftermath;
  {
    absl::MutexLock lock(&mutex_);
    if (EndedLocked()) return;
    aftermath.answer = absl::UnavailableError("the agent is stopping");
    EndLocked(SessionState::kFailed, "the agent was stopped", &aftermath);
  }
  Finish(aftermath);
}

}  // namespace pmu::server
