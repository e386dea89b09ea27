#include "client/host_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/client_identity.h"
#include "client/host_contact.h"
#include "client/host_timing.h"
#include "client/rpc_error.h"
#include "client/session_answers.h"

namespace pmu::client {
namespace {

constexpr absl::Duration kRetryAfter = absl::Milliseconds(200);
// An estimate younger than this at the end of a run needs no second look.
constexpr absl::Duration kFreshClock = absl::Seconds(1);
constexpr absl::Duration kCloseTimeout = absl::Seconds(1);
// A probe that takes longer tells nothing.
constexpr absl::Duration kProbeTimeout = absl::Seconds(1);

int64_t ToNs(absl::Duration duration) { return absl::ToInt64Nanoseconds(duration); }

}  // namespace

struct HostSession::Collection {
  int64_t stop_ns = 0;
  int64_t give_up_ns = 0;
  std::function<void()> done;
  int pending = 0;  // calls to wait for
  pmu::v1::StopResponse answer;
};

HostSession::HostSession(EventLoop* loop, const HostSessionPlan* plan,
                         std::unique_ptr<PmuConnection> connection, HostResult* result)
    : loop_(loop),
      plan_(plan),
      result_(result),
      idempotency_key_(RandomKey()),
      connection_(std::move(connection)) {}

HostSession::~HostSession() {
  if (renewal_.has_value()) loop_->CancelTimer(*renewal_);
}

void HostSession::SetState(State state) {
  if (has_session()) --plan_->counts->open;
  state_ = state;
  if (has_session()) ++plan_->counts->open;
}

void HostSession::Fail(absl::Status status) {
  // The first reason is the true one.
  if (result_->status.ok()) result_->status = std::move(status);
  SetState(State::kEnded);
  EndWatch();
}

void HostSession::Close(absl::Duration timeout) {
  ++plan_->counts->busy;
  pmu::v1::StopRequest request;
  request.set_session_id(session_id_);
  connection_->Stop(request, timeout, [this](const absl::StatusOr<pmu::v1::StopResponse>&) {
    --plan_->counts->busy;
  });
}

// Connecting and arming ----------------------------------------------------

void HostSession::Arm(const std::function<void()>& reached, const std::function<void()>& done) {
  ContactHost(loop_, connection_.get(), plan_->timeout,
              [=, this](absl::StatusOr<pmu::v1::Host> host) {
                if (state_ != State::kContacting) return;
                if (!host.ok()) {
                  Fail(host.status());
                  reached();
                  done();
                  return;
                }
                result_->identity = *std::move(host);
                if (plan_->start_request.dry_run()) {
                  reached();
                  Open(/*may_retry=*/true, done);
                } else {
                  MeasureClock(reached, done);
                }
              });
}

void HostSession::MeasureClock(const std::function<void()>& reached,
                               const std::function<void()>& done) {
  plan_->clock_gate->Enter([=, this] {
    if (state_ != State::kContacting) {
      plan_->clock_gate->Leave();
      return;
    }
    RunClockBurst(connection_.get(), loop_->clock(), plan_->clock_probes,
                  std::min(plan_->timeout, kProbeTimeout),
                  [=, this](absl::StatusOr<ClockBurst> burst) {
                    if (burst.ok()) plan_->clock_gate->Learn(*burst);
                    plan_->clock_gate->Leave();
                    if (state_ == State::kContacting) OnClock(burst, reached, done);
                  });
  });
}

void HostSession::OnClock(const absl::StatusOr<ClockBurst>& burst,
                          const std::function<void()>& reached, const std::function<void()>& done) {
  if (!burst.ok()) {
    Fail(burst.status());
    reached();
    done();
    return;
  }
  result_->clock = newest_clock_ = burst->offset;
  slowest_round_trip_ = burst->slowest;
  reached();
  Open(/*may_retry=*/true, done);
}

void HostSession::RefineClock(const std::function<void()>& done) {
  plan_->clock_gate->Enter([=, this] {
    RunClockBurst(connection_.get(), loop_->clock(), plan_->clock_probes,
                  std::min(plan_->timeout, kProbeTimeout),
                  [=, this](absl::StatusOr<ClockBurst> burst) {
                    plan_->clock_gate->Leave();
                    const bool better = burst.ok() && state_ == State::kArmed &&
                                        burst->offset.error_ns < newest_clock_.error_ns;
                    if (better) result_->clock = newest_clock_ = burst->offset;
                    done();
                  });
  });
}

void HostSession::Open(bool may_retry, const std::function<void()>& done) {
  SetState(State::kOpening);
  ++plan_->counts->busy;
  pmu::v1::StartSessionRequest request = plan_->start_request;
  request.set_idempotency_key(idempotency_key_);
  connection_->StartSession(request, plan_->timeout,
                            [=, this](absl::StatusOr<pmu::v1::StartSessionResponse> answer) {
                              --plan_->counts->busy;
                              if (state_ != State::kOpening) {  // released meanwhile
                                if (!answer.ok() || !answer->has_session()) return;
                                session_id_ = answer->session().id();
                                Close(kCloseTimeout);
                                return;
                              }
                              if (absl::IsUnavailable(answer.status()) && may_retry) {
                                // The key makes the agent answer with the session of the first try.
                                Open(/*may_retry=*/false, done);
                                return;
                              }
                              if (answer.ok()) {
                                OnOpened(*answer);
                              } else {
                                Fail(answer.status());
                              }
                              done();
                            });
}

void HostSession::OnOpened(const pmu::v1::StartSessionResponse& answer) {
  last_answer_ns_ = loop_->NowNs();
  session_id_ = answer.session().id();
  const bool dry_run = plan_->start_request.dry_run();
  absl::Status taken = TakeEvents(answer, result_);
  if (taken.ok() && !dry_run && session_id_.empty()) {
    taken = absl::InternalError("agent answered StartSession without a session");
  }
  if (!taken.ok()) {
    Fail(std::move(taken));
    if (!session_id_.empty()) Close(kCloseTimeout);
    return;
  }
  if (dry_run) {
    SetState(State::kDryRunDone);
    return;
  }
  slots_.assign(answer.slots().begin(), answer.slots().end());
  SetState(State::kArmed);
  ScheduleRenewal(RenewalDelay());
}

// Starting -------------------------------------------------------------------

void HostSession::Trigger(int64_t start_ns, int64_t stop_ns, absl::Duration timeout,
                          const std::function<void()>& done) {
  started_at_ns_ = start_ns;
  aligned_clock_ = newest_clock_;
  pmu::v1::TriggerRequest request;
  request.set_session_id(session_id_);
  request.set_start_at_ns(newest_clock_.ToHost(start_ns));
  if (stop_ns != 0) request.set_stop_at_ns(newest_clock_.ToHost(stop_ns));
  connection_->Trigger(
      request, timeout, [=, this](const absl::StatusOr<pmu::v1::TriggerResponse>& answer) {
        if (state_ == State::kArmed) {
          if (answer.ok()) {
            last_answer_ns_ = loop_->NowNs();
            SetState(State::kStarted);
            ScheduleRenewal(RenewalDelay());
          } else if (IsConnectionError(answer.status())) {
            trigger_status_ = answer.status();
          } else {
            Fail(absl::Status(answer.status().code(),
                              absl::StrCat("could not start: ", answer.status().message())));
            Close(kCloseTimeout);
          }
        }
        done();
      });
}

void HostSession::Watch(IntervalAssembler* assembler, size_t host) {
  assembler_ = assembler;
  host_index_ = host;
  watch_over_ = false;
  series_.emplace(*result_, slots_, ToNs(plan_->interval));
  watch_ = std::make_unique<HostWatch>(
      loop_, connection_.get(), session_id_, plan_->interval,
      [this](const pmu::v1::IntervalSample& sample) {
        if (watch_over_) return;
        last_answer_ns_ = loop_->NowNs();
        absl::StatusOr<HostSeries::Step> step = series_->Take(sample, MostIntervals());
        if (step.ok()) {
          assembler_->Add(host_index_, *std::move(step));
        } else {
          const bool open = has_session();
          Fail(step.status());
          if (open) Close(kCloseTimeout);
        }
      },
      [this](const absl::Status&) { EndWatch(); });
}

// Whatever its clock does, an agent cannot be twice as far as we are.
uint64_t HostSession::MostIntervals() const {
  constexpr int64_t kMore = 100;
  const int64_t passed_ns = std::max<int64_t>(loop_->NowNs() - started_at_ns_, 0);
  return static_cast<uint64_t>(2 * (passed_ns / ToNs(plan_->interval)) + kMore);
}

// The watch itself stays: it may be the caller.
void HostSession::EndWatch() {
  if (watch_over_) return;
  watch_over_ = true;
  assembler_->End(host_index_);
}

// Ending ---------------------------------------------------------------------

void HostSession::Collect(int64_t stop_ns, const std::function<void()>& done) {
  auto collection = std::make_shared<Collection>();
  collection->stop_ns = stop_ns;
  collection->give_up_ns = std::max(stop_ns, loop_->NowNs()) + ToNs(plan_->timeout);
  collection->done = done;
  collection->pending = 1;
  if (loop_->NowNs() - newest_clock_.measured_at_ns > ToNs(kFreshClock)) {
    // Beside the Stop, not after it: costs no time of its own.
    ++collection->pending;
    FollowClock(1, [=, this] { FinishCollection(collection.get()); });
  }
  TryStop(collection);
}

void HostSession::TryStop(const std::shared_ptr<Collection>& collection) {
  if (!has_session()) {  // found lost meanwhile
    FinishCollection(collection.get());
    return;
  }
  const int64_t now_ns = loop_->NowNs();
  const int64_t wait_ns = std::max<int64_t>(collection->stop_ns - now_ns, 0);
  // Several tries fit into the time: one that was sent into a dead connection
  // is not answered when the network is back.
  const int64_t try_ns = std::min(wait_ns + ToNs(std::max(plan_->timeout / 3, absl::Seconds(1))),
                                  collection->give_up_ns - now_ns);
  pmu::v1::StopRequest request;
  request.set_session_id(session_id_);
  request.set_stop_at_ns(newest_clock_.ToHost(collection->stop_ns));
  connection_->Stop(request, absl::Nanoseconds(try_ns),
                    [=, this](absl::StatusOr<pmu::v1::StopResponse> answer) {
                      if (!answer.ok()) {
                        OnStopFailed(answer.status(), collection);
                        return;
                      }
                      collection->answer = *std::move(answer);
                      FinishCollection(collection.get());
                    });
}

void HostSession::StopSooner(int64_t stop_ns) {
  if (!has_session()) return;
  pmu::v1::StopRequest request;
  request.set_session_id(session_id_);
  request.set_stop_at_ns(newest_clock_.ToHost(stop_ns));
  // Whoever waits for the end of the session is answered by the same stop.
  connection_->Stop(request, plan_->timeout, [](const absl::StatusOr<pmu::v1::StopResponse>&) {});
}

void HostSession::GiveUp() {
  if (!has_session()) return;
  Fail(LostStatus(absl::CancelledError("not waited for after the interrupt")));
  Close(kCloseTimeout);
}

void HostSession::OnStopFailed(const absl::Status& status,
                               const std::shared_ptr<Collection>& collection) {
  auto finish = [=, this] { FinishCollection(collection.get()); };
  // A stop that is far ahead is no reason to look for a lost host until then.
  collection->give_up_ns = std::min(collection->give_up_ns, loop_->NowNs() + ToNs(plan_->timeout));
  if (!has_session()) {
    finish();
  } else if (absl::IsNotFound(status)) {
    ExplainLostSession(finish);
  } else if (!IsConnectionError(status)) {
    Fail(absl::Status(status.code(), absl::StrCat("could not collect: ", status.message())));
    finish();
  } else if (loop_->NowNs() + ToNs(kRetryAfter) >= collection->give_up_ns) {
    Fail(LostStatus(status));
    finish();
  } else {
    loop_->RunAfter(kRetryAfter, [=, this] { TryStop(collection); });
  }
}

void HostSession::FinishCollection(Collection* collection) {
  if (--collection->pending > 0) return;
  if (has_session()) TakeStopped(collection->answer);
  collection->done();
}

void HostSession::TakeStopped(const pmu::v1::StopResponse& answer) {
  const pmu::v1::SessionTiming& timing = answer.session().timing();
  result_->notes.assign(answer.notes().begin(), answer.notes().end());
  if (answer.session().state() == pmu::v1::SESSION_STATE_FAILED) {
    Fail(
        absl::AbortedError(absl::StrCat("measurement failed there: ", answer.session().failure())));
    return;
  }
  if (answer.session().state() == pmu::v1::SESSION_STATE_EXPIRED) {
    Fail(absl::AbortedError("lease ran out: the host could not be reached for too long"));
    return;
  }
  // Of the two estimates the one that says more about the moment.
  auto map = [this](int64_t begin_ns, int64_t end_ns) {
    absl::optional<MappedTime> early = MapWindow(*result_->clock, begin_ns, end_ns);
    absl::optional<MappedTime> late = MapWindow(newest_clock_, begin_ns, end_ns);
    return early.has_value() && early->error_ns > late->error_ns ? late : early;
  };
  result_->enabled = map(timing.enable_begin_ns(), timing.enable_end_ns());
  result_->disabled = map(timing.disable_begin_ns(), timing.disable_end_ns());
  if (!result_->enabled.has_value()) {
    Fail(trigger_status_.ok()
             ? absl::AbortedError("never started counting (no enable time in its answer)")
             : absl::Status(trigger_status_.code(),
                            absl::StrCat("could not start: ", trigger_status_.message())));
    return;
  }
  result_->enable_took_ns = timing.enable_end_ns() - timing.enable_begin_ns();
  if (result_->disabled.has_value()) {
    const int64_t enabled_ns = timing.enable_begin_ns() + result_->enable_took_ns / 2;
    const int64_t disabled_ns =
        timing.disable_begin_ns() + (timing.disable_end_ns() - timing.disable_begin_ns()) / 2;
    result_->measured_ns = std::max<int64_t>(disabled_ns - enabled_ns, 0);
  }
  absl::Status taken = TakeReadings(slots_, answer.sample(), result_);
  if (!taken.ok()) {
    Fail(std::move(taken));
    return;
  }
  SetState(State::kCollected);
}

void HostSession::Release(absl::Duration timeout) {
  if (has_session()) Close(timeout);
  if (state_ != State::kCollected) SetState(State::kEnded);
}

}  // namespace pmu::client
