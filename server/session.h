// session.h: one set of open counters with an owner, a lease and a state.
//
//   ARMED --Trigger--> RUNNING --Stop--> STOPPED
//     any of the two --lease runs out--> EXPIRED
//     any of the two --error, end of the agent--> FAILED
//     ARMED --Stop--> STOPPED (nothing was counted)
//
// When a session ends its counters are disabled, read once more and closed;
// the last sample is kept and answers from then on. docs/protocol.md tells the
// life of a session from the caller's side.
//
// A session with an interval also takes numbered samples while it runs, into a
// ring that watchers read.
//
// A Session is shared by its manager, by calls that wait for its stop and by
// planned starts and stops. Thread-safe. Callbacks run without locks held.
#ifndef PMU_SERVER_SESSION_H_
#define PMU_SERVER_SESSION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "common/clock.h"
#include "common/counter_math.h"
#include "server/event_plan.h"
#include "server/interval_plan.h"
#include "server/sample_ring.h"
#include "server/sampler.h"
#include "server/scheduler.h"
#include "server/session_counters.h"
#include "server/session_spec.h"

namespace pmu::server {

// The messages of the same names in proto/pmu/v1/session.proto document these.
enum class SessionState { kArmed, kRunning, kStopped, kFailed, kExpired };
const char* SessionStateName(SessionState state);  // "ARMED"

struct SessionTiming {
  int64_t planned_start_ns = 0;
  int64_t enable_begin_ns = 0;
  int64_t enable_end_ns = 0;
  int64_t planned_stop_ns = 0;
  int64_t disable_begin_ns = 0;
  int64_t disable_end_ns = 0;
};

struct Sample {
  uint64_t sequence = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<RawReading> readings;  // one a slot
};

// What changes in a session, at one moment.
struct SessionStatus {
  SessionState state = SessionState::kArmed;
  std::string failure;
  SessionTiming timing;
  int64_t lease_expires_ns = 0;
  int descriptors = 0;
  // Found while counting, once it has ended.
  std::vector<std::string> notes;
};

class Session final : public Sampled, public std::enable_shared_from_this<Session> {
 public:
  // OK: the session has ended, its last sample can be read. Else UNAVAILABLE.
  using StopDone = std::function<void(const absl::Status&)>;
  // Names a Stop call that waits; 0: it does not wait.
  using WaiterId = uint64_t;
  using WatcherId = uint64_t;
  // A sample was published at `now_ns`, or the session has ended. Runs under
  // the session's lock: must not call back, allocate or sleep.
  using Wake = std::function<void(int64_t now_ns, bool ended)>;
  using EndedHandler = std::function<void(const Session&)>;

  struct Parts {
    std::string id;
    StartRequest request;
    std::vector<PlannedEvent> plan;
    SessionCounters counters;
    EndedHandler on_ended;  // once, when the session has ended
    // Changes to the machine, put back by letting it go when the counters are
    // closed. May be null.
    std::shared_ptr<void> machine_hold;
    // Both set for a session with an interval. The sampler must outlive it.
    std::unique_ptr<SampleRing> ring;
    Sampler* sampler = nullptr;
  };

  // ARMED, with its lease running. `scheduler` and `clock` must outlive it.
  static std::shared_ptr<Session> Create(Parts parts, Scheduler* scheduler, const Clock* clock);

  // Fixed from the start.
  const std::string& id() const { return parts_.id; }
  const StartRequest& request() const { return parts_.request; }
  const std::vector<PlannedEvent>& plan() const { return parts_.plan; }
  const std::vector<CounterSlot>& slots() const { return slots_; }
  int64_t created_wall_ns() const { return created_wall_ns_; }
  // Null without an interval.
  const SampleRing* ring() const { return parts_.ring.get(); }

  SessionStatus Status() const;
  // Does not wait for the session's lock.
  bool HasEnded() const { return has_ended_.load(); }

  // Plans the start, and the stop unless `stop_at_ns` is 0. `start_at_ns` 0
  // starts at once. The same call once more is answered with OK.
  // FAILED_PRECONDITION, OUT_OF_RANGE, INVALID_ARGUMENT as TriggerRequest
  // says; INTERNAL: the counters could not be enabled, the session FAILED.
  absl::Status Trigger(int64_t start_at_ns, int64_t stop_at_ns);

  // Reads every counter once and shows the sample to `use`, under the lock:
  // nothing is copied, and `use` must not call back. ARMED: nothing is read,
  // all readings are NOT_COUNTED. Ended: the last sample.
  void Read(absl::FunctionRef<void(const Sample&, SessionState)> use);

  // Ends the session at `stop_at_ns`, or now when that is past. `done` runs
  // once the session has ended, from within this call or from the scheduler's
  // thread. RESOURCE_EXHAUSTED (through `done`): too many calls wait already.
  WaiterId Stop(int64_t stop_at_ns, StopDone done);

  // The client of a waiting Stop is gone. The stop stays planned; a waiting
  // Stop keeps the lease alive, this ends that. True: `done` will not run any
  // more; false: it has run or is about to.
  bool AbandonStop(WaiterId waiter);

  // Renews the lease and returns when it runs out. FAILED_PRECONDITION: ended.
  absl::StatusOr<int64_t> Renew();

  // See SessionSpec.cycle_limit; before the start. FAILED_PRECONDITION: the
  // counters have no cycle counter that could be the limit.
  absl::Status LimitCycles(uint64_t cycles);

  // See RenewLeaseRequest.align_number. FAILED_PRECONDITION: no interval, or
  // not counting; INVALID_ARGUMENT.
  absl::Status AlignIntervals(uint64_t number, int64_t due_ns);

  // From now on `wake` is called; a watched session's lease does not run out.
  // FAILED_PRECONDITION: no interval. RESOURCE_EXHAUSTED: too many watchers.
  absl::StatusOr<WatcherId> AddWatcher(Wake wake);
  // `wake` is not running any more when this returns.
  void RemoveWatcher(WatcherId id);

  // For the sampler.
  int64_t TakeDueSample() override;

  // Ends the session because the agent ends; waiting Stops get UNAVAILABLE.
  void Shutdown();

 private:
  // What is left to do after the lock is released.
  struct Aftermath {
    bool ended = false;
    absl::Status answer;
    std::map<WaiterId, StopDone> waiters;
  };

  Session(Parts parts, Scheduler* scheduler, const Clock* clock);

  bool EndedLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RenewLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether a Trigger with these times may go ahead.
  absl::Status CheckTriggerLocked(int64_t start_at_ns, int64_t stop_at_ns) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status BeginLocked(Aftermath* aftermath) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndLocked(SessionState state, std::string failure, Aftermath* aftermath)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeSampleLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeginIntervalsLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PublishLocked(IntervalHeader header) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The last sample, which sample_ holds, into the ring.
  void EndIntervalsLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PlanStopLocked(int64_t stop_at_ns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PlanUpkeepLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WatchLeaseLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Plans `action` of this session, if there still is a session then.
  Scheduler::Id ScheduleLocked(int64_t at_ns, Scheduler::Precision precision,
                               void (Session::*action)()) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(const Aftermath& aftermath);

  void OnStartTime();
  void OnStopTime();
  void OnLeaseTime();
  void OnUpkeepTime();
  // The counters have stopped by themselves, see SessionSpec.cycle_limit.
  void OnCyclesReached();

  Scheduler* const scheduler_;
  const Clock* const clock_;
  const int64_t created_wall_ns_;
  Parts parts_;  // `counters` and `machine_hold` are guarded by mutex_, the rest is fixed
  const std::vector<CounterSlot> slots_;

  std::atomic<bool> has_ended_{false};
  mutable absl::Mutex mutex_;
  SessionStatus status_ ABSL_GUARDED_BY(mutex_);
  Sample sample_ ABSL_GUARDED_BY(mutex_);
  std::map<WaiterId, StopDone> waiters_ ABSL_GUARDED_BY(mutex_);
  WaiterId last_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::optional<IntervalPlan> intervals_ ABSL_GUARDED_BY(mutex_);  // once it counts
  std::map<WatcherId, Wake> watchers_ ABSL_GUARDED_BY(mutex_);
  WatcherId last_watcher_ ABSL_GUARDED_BY(mutex_) = 0;
  bool triggered_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t trigger_stop_ns_ ABSL_GUARDED_BY(mutex_) = 0;  // as Trigger asked
  Scheduler::Id start_timer_ ABSL_GUARDED_BY(mutex_) = 0;
  Scheduler::Id stop_timer_ ABSL_GUARDED_BY(mutex_) = 0;
  Scheduler::Id lease_timer_ ABSL_GUARDED_BY(mutex_) = 0;
  Scheduler::Id upkeep_timer_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SESSION_H_
