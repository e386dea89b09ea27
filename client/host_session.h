// host_session.h: one host through one measurement.
//
// Order: Arm; Trigger; Collect. Release ends what is open, from any state.
// Between the calls it keeps the session's lease alive, follows the host's
// clock, and notices when the host is lost or its agent was restarted, for as
// long as the event loop is driven. A host that does not answer for a while is
// not given up: its session lives on the agent until the lease ends, and its
// stop is planned there.
//
// Every `done` runs exactly once from the event loop, unless the session is
// released or destroyed first. Thread-compatible: used from the loop's thread.
#ifndef PMU_CLIENT_HOST_SESSION_H_
#define PMU_CLIENT_HOST_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/clock_burst.h"
#include "client/clock_sync.h"
#include "client/connection.h"
#include "client/event_loop.h"
#include "client/host_watch.h"
#include "client/intervals.h"
#include "client/result.h"
#include "proto/pmu/v1/service.pb.h"

namespace pmu::client {

// Over all hosts of one measurement, kept by their sessions, so that nobody has
// to go through all hosts whenever one of them answers.
struct HostSessionCounts {
  size_t open = 0;  // has_session()
  size_t busy = 0;  // calls that open or close counters under way
};

// What all hosts of one measurement have in common.
struct HostSessionPlan {
  // Without an idempotency key: every session has its own, since two names of
  // the list may be one agent.
  pmu::v1::StartSessionRequest start_request;
  absl::Duration timeout;  // of each call
  absl::Duration lease;
  int clock_probes = 12;
  absl::Duration interval;  // of samples; zero: none
  // Not owned.
  ClockBurstGate* clock_gate = nullptr;
  HostSessionCounts* counts = nullptr;
};

class HostSession {
 public:
  // `result` (with its `host` set) is filled as things become known. `loop`,
  // `plan` and `result` are not owned and must outlive the session.
  HostSession(EventLoop* loop, const HostSessionPlan* plan,
              std::unique_ptr<PmuConnection> connection, HostResult* result);
  ~HostSession();
  HostSession(const HostSession&) = delete;
  HostSession& operator=(const HostSession&) = delete;

  // Connects, estimates the clock, opens the counters. `reached` runs when the
  // first two are done or have failed; `done` follows it.
  void Arm(const std::function<void()>& reached, const std::function<void()>& done);

  // Of an armed host: probes its clock once more, and keeps what is known better.
  void RefineClock(const std::function<void()>& done);

  // Plans start and stop (0: open) at these instants of our clock. A host
  // whose answer does not come within `timeout` is in doubt, not failed:
  // Collect finds out what happened.
  void Trigger(int64_t start_ns, int64_t stop_ns, absl::Duration timeout,
               const std::function<void()>& done);

  // From now on the interval samples go to `assembler` (not owned) as those of
  // host number `host`. The host ends there when it has no more, or is lost.
  void Watch(IntervalAssembler* assembler, size_t host);
  // All its interval samples are in the assembler.
  bool watch_over() const { return watch_over_; }

  // Ends counting at `stop_ns` of our clock (in the past: now) and fetches the
  // readings; tries again for the plan's timeout after that instant.
  void Collect(int64_t stop_ns, const std::function<void()>& done);

  // While a Collect waits: its stop comes at this earlier instant.
  void StopSooner(int64_t stop_ns);

  // Waits no longer for a Collect: a host that has not answered is lost.
  void GiveUp();

  // Ends the session without readings; one try of at most `timeout`. A session
  // that is just being opened is ended when it is. See HostSessionCounts::busy.
  void Release(absl::Duration timeout);

  // Armed, or started, or in doubt between the two: there is a session.
  bool has_session() const { return state_ == State::kArmed || state_ == State::kStarted; }
  // Trigger was answered.
  bool started() const { return state_ == State::kStarted; }
  bool dry_run_done() const { return state_ == State::kDryRunDone; }
  // Of the clock probes; 0 before. How late a message may well be.
  absl::Duration slowest_round_trip() const { return slowest_round_trip_; }

 private:
  enum class State {
    kContacting,  // GetHost and clock burst
    kOpening,     // StartSession
    kDryRunDone,
    kArmed,      // and perhaps triggered, in doubt
    kStarted,    // Trigger answered
    kCollected,  // readings taken
    kEnded,      // failed (result_->status says why) or released
  };

  void SetState(State state);
  void Fail(absl::Status status);
  // Counters may still be open there: tells the agent to close them.
  void Close(absl::Duration timeout);

  void MeasureClock(const std::function<void()>& reached, const std::function<void()>& done);
  void OnClock(const absl::StatusOr<ClockBurst>& burst, const std::function<void()>& reached,
               const std::function<void()>& done);
  void Open(bool may_retry, const std::function<void()>& done);
  void OnOpened(const pmu::v1::StartSessionResponse& answer);

  // One Collect: the Stop, and beside it a last look at the clock.
  struct Collection;
  void TryStop(const std::shared_ptr<Collection>& collection);
  void OnStopFailed(const absl::Status& status, const std::shared_ptr<Collection>& collection);
  void FinishCollection(Collection* collection);
  void TakeStopped(const pmu::v1::StopResponse& answer);

  uint64_t MostIntervals() const;
  void EndWatch();

  // Lease, liveness and clock between the calls; in host_session_upkeep.cc.
  absl::Duration RenewalDelay() const;
  void ScheduleRenewal(absl::Duration delay);
  void Renew();
  // Keeps the interval deadlines where our clock has them.
  void AddAlignment(pmu::v1::RenewLeaseRequest* request);
  void OnRenewed(const absl::Status& status);
  void FollowClock(int probes, const std::function<void()>& done);
  // Fails the host when its clock cannot have moved like this by itself.
  void TakeClock(const ClockOffset& newer);
  // The agent does not know the session: asks who it is, then fails.
  void ExplainLostSession(const std::function<void()>& done);
  absl::Status LostStatus(const absl::Status& status) const;

  EventLoop* loop_;
  const HostSessionPlan* plan_;
  HostResult* result_;
  const std::string idempotency_key_;
  std::unique_ptr<PmuConnection> connection_;

  State state_ = State::kContacting;
  std::string session_id_;
  std::vector<pmu::v1::CounterSlot> slots_;
  absl::Duration slowest_round_trip_;
  ClockOffset newest_clock_;     // result_->clock stays that of the start
  absl::Status trigger_status_;  // when in doubt: why
  int64_t started_at_ns_ = 0;    // as planned, our clock; 0: not triggered
  int64_t last_answer_ns_ = 0;   // our clock
  absl::optional<EventLoop::TimerId> renewal_;

  // Of a session with an interval.
  ClockOffset aligned_clock_;  // by which the host's deadlines lie
  IntervalAssembler* assembler_ = nullptr;
  size_t host_index_ = 0;
  absl::optional<HostSeries> series_;
  std::unique_ptr<HostWatch> watch_;
  bool watch_over_ = true;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_HOST_SESSION_H_
