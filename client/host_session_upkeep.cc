// HostSession between its calls: lease, liveness and clock.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/host_session.h"
#include "client/host_timing.h"

namespace pmu::client {
namespace {

// A running host is asked at least this often, however long its lease; early in
// a run more often (after 1 s, 2 s, 4 s ...), so that when a host was lost is
// known to a share of the time it ran, for a few messages in all.
constexpr absl::Duration kMaxQuiet = absl::Seconds(10);
constexpr absl::Duration kMinQuiet = absl::Seconds(1);
// Estimates are renewed when they are older than this; then drift adds less
// than 5 ms to their error.
constexpr absl::Duration kClockAge = absl::Seconds(9);
constexpr int kFollowProbes = 4;
constexpr absl::Duration kCloseTimeout = absl::Seconds(1);
// A probe that takes longer tells nothing.
constexpr absl::Duration kProbeTimeout = absl::Seconds(1);

int64_t ToNs(absl::Duration duration) { return absl::ToInt64Nanoseconds(duration); }

}  // namespace

absl::Duration HostSession::RenewalDelay() const {
  absl::Duration delay = kMaxQuiet;
  if (started_at_ns_ != 0) {
    delay = std::clamp(absl::Nanoseconds(loop_->NowNs() - started_at_ns_), kMinQuiet, kMaxQuiet);
  }
  // Not all hosts at the same moment.
  const double spread =
      0.7 + 0.3 * static_cast<double>(std::hash<std::string>()(session_id_) % 100) / 100;
  return std::min(delay, plan_->lease / 3) * spread;
}

void HostSession::ScheduleRenewal(absl::Duration delay) {
  if (renewal_.has_value()) loop_->CancelTimer(*renewal_);
  renewal_ = loop_->RunAfter(delay, [this] {
    renewal_.reset();
    if (has_session()) Renew();
  });
}

void HostSession::Renew() {
  pmu::v1::RenewLeaseRequest request;
  request.set_session_id(session_id_);
  AddAlignment(&request);
  connection_->RenewLease(request, std::min(plan_->timeout, plan_->lease / 3),
                          [this](const absl::StatusOr<pmu::v1::RenewLeaseResponse>& answer) {
                            if (has_session()) OnRenewed(answer.status());
                          });
}

void HostSession::AddAlignment(pmu::v1::RenewLeaseRequest* request) {
  const int64_t interval_ns = ToNs(plan_->interval);
  if (interval_ns == 0 || state_ != State::kStarted) return;
  const int64_t drift_ns =
      newest_clock_.ToHost(started_at_ns_) - aligned_clock_.ToHost(started_at_ns_);
  // Less than the estimates are uncertain by is no drift; half an interval and
  // more would give the intervals other numbers.
  if (std::abs(drift_ns) <= newest_clock_.error_ns + aligned_clock_.error_ns) return;
  if (std::abs(drift_ns) >= interval_ns / 2) return;
  const int64_t number = (loop_->NowNs() - started_at_ns_) / interval_ns + 2;
  request->set_align_number(static_cast<uint64_t>(number));
  request->set_align_due_ns(newest_clock_.ToHost(started_at_ns_ + number * interval_ns));
  aligned_clock_ = newest_clock_;
}

void HostSession::OnRenewed(const absl::Status& status) {
  absl::Duration next = RenewalDelay();
  if (status.ok()) {
    last_answer_ns_ = loop_->NowNs();
    if (loop_->NowNs() - newest_clock_.measured_at_ns >= ToNs(kClockAge)) {
      FollowClock(kFollowProbes, [] {});
    }
  } else if (absl::IsNotFound(status)) {
    ExplainLostSession([] {});
    return;
  } else {
    next = std::min(next, kMinQuiet);  // lost for now: look for it more often
  }
  ScheduleRenewal(next);
}

void HostSession::FollowClock(int probes, const std::function<void()>& done) {
  RunClockBurst(connection_.get(), loop_->clock(), probes, std::min(plan_->timeout, kProbeTimeout),
                [=, this](absl::StatusOr<ClockBurst> burst) {
                  if (burst.ok() && has_session()) TakeClock(burst->offset);
                  done();
                });
}

void HostSession::TakeClock(const ClockOffset& newer) {
  absl::Status moved = CheckClockMoved(newest_clock_, newer);
  if (moved.ok()) {
    newest_clock_ = newer;
    return;
  }
  Fail(std::move(moved));
  Close(kCloseTimeout);
}

void HostSession::ExplainLostSession(const std::function<void()>& done) {
  connection_->GetHost(
      {}, std::min(plan_->timeout, absl::Seconds(1)),
      [=, this](absl::StatusOr<pmu::v1::GetHostResponse> answer) {
        std::string why =
            "the agent no longer has the session: it ended too long ago, or was taken for lost";
        if (answer.ok() && answer->host().boot_id() != result_->identity->boot_id()) {
          why = "the machine was rebooted during the measurement";
        } else if (answer.ok() &&
                   answer->host().agent_instance() != result_->identity->agent_instance()) {
          why = "the agent was restarted during the measurement";
        }
        Fail(absl::AbortedError(why));
        done();
      });
}

absl::Status HostSession::LostStatus(const absl::Status& status) const {
  std::string since = "no answer";
  if (started_at_ns_ != 0) {
    const int64_t after_ns = std::max<int64_t>(last_answer_ns_ - started_at_ns_, 0);
    since = absl::StrFormat("lost, last heard %.1f s after the start",
                            static_cast<double>(after_ns) / 1e9);
  }
  // The last try was shorter than all of them together.
  const std::string why =
      absl::IsDeadlineExceeded(status)
          ? absl::StrCat("no answer within ", absl::FormatDuration(plan_->timeout))
          : std::string(status.message());
  return absl::Status(status.code(), absl::StrCat(since, ": ", why));
}

}  // namespace pmu::client
