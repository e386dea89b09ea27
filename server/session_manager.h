// session_manager.h: all sessions of the agent.
//
// Gives out ids, holds clients to the limits, finds sessions again by id or by
// idempotency key, and keeps ended ones for a minute. Owns the sessions; the
// backends, the scheduler and the clock are the agent's and must outlive it.
//
// Thread-safe. Counters are opened without a lock held. The scheduler must be
// stopped before the manager is destroyed.
#ifndef PMU_SERVER_SESSION_MANAGER_H_
#define PMU_SERVER_SESSION_MANAGER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "server/backends/counter_backend.h"
#include "server/limits.h"
#include "server/sample_ring.h"
#include "server/sampler.h"
#include "server/scheduler.h"
#include "server/session.h"
#include "server/session_spec.h"

namespace pmu::server {

struct StartedSession {
  std::shared_ptr<Session> session;        // null for a dry run
  std::vector<PlannedEvent> dry_run_plan;  // of a dry run
};

class SessionManager {
 public:
  // Sets freeze_on_smi until what it returns is let go. Errors as
  // SessionSpec.freeze_on_smi documents. Thread-safe.
  using FreezeOnSmiFunction = std::function<absl::StatusOr<std::shared_ptr<void>>()>;

  SessionManager(std::vector<CounterBackend*> backends, const Limits& limits, Scheduler* scheduler,
                 const Clock* clock);
  ~SessionManager();

  // Before any Start. Without it sessions that ask for it are refused.
  void SetFreezeOnSmi(FreezeOnSmiFunction function) { freeze_on_smi_ = std::move(function); }

  // Before any Start. Without it sessions with an interval are refused. Must
  // outlive the manager.
  void SetSampler(Sampler* sampler) { sampler_ = sampler; }

  const Limits& limits() const { return limits_; }

  // Errors as rpc StartSession documents, and
  //   ABORTED      a call with the same idempotency key is under way: retry
  //   UNAVAILABLE  after Shutdown
  absl::StatusOr<StartedSession> Start(StartRequest request);

  // NOT_FOUND: never was, ended more than a minute ago, or of another agent.
  absl::StatusOr<std::shared_ptr<Session>> Find(absl::string_view id) const;

  // In order of creation; ended ones for a minute. Of one client, unless
  // `client_id` is empty.
  std::vector<std::shared_ptr<Session>> List(absl::string_view client_id = "") const;

  // Ends all sessions; from now on none is started. Idempotent.
  void Shutdown();

 private:
  using ClientKey = std::pair<std::string, std::string>;  // client id, idempotency key
  struct Entry {
    std::shared_ptr<Session> session;
    int descriptors = 0;  // 0 once ended
    size_t ring_bytes = 0;
    bool ended = false;
  };

  // A place for a session that is being opened; given back by ReleasePlace.
  // Returns the session when the idempotency key has one already.
  absl::StatusOr<std::shared_ptr<Session>> TakePlace(const StartRequest& request);
  void ReleasePlace(const StartRequest& request);
  absl::Status CheckDescriptors(size_t needed) const;
  absl::StatusOr<std::shared_ptr<Session>> Open(StartRequest request,
                                                std::vector<PlannedEvent> plan);
  // What the session needs changed on the machine; null: nothing.
  absl::StatusOr<std::shared_ptr<void>> HoldMachine(const SessionSpec& spec,
                                                    const std::vector<PlannedEvent>& plan) const;
  // For a session with this many counters; null: it has no interval.
  absl::StatusOr<std::unique_ptr<SampleRing>> MakeRing(const SessionSpec& spec, size_t slots) const;
  absl::Status AddExhaustion(const absl::Status& status) const;
  absl::Status Insert(const std::shared_ptr<Session>& session);
  void OnEnded(const Session& session);
  void Forget(const std::string& id);

  int LiveCountLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t DescriptorsLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Who holds sessions, or those with counters of one backend:
  // "alice@lab1" (s-01.., since 2026-10-22T07:00:00Z), ...; empty: nobody.
  std::string HoldersLocked(int backend = kNoBackend) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Says with each event that found no counter left who has them.
  void NameHolders(std::vector<PlannedEvent>* plan) const;
  void ForgetLocked(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::vector<CounterBackend*> backends_;
  const Limits limits_;
  Scheduler* const scheduler_;
  const Clock* const clock_;
  FreezeOnSmiFunction freeze_on_smi_;
  Sampler* sampler_ = nullptr;

  mutable absl::Mutex mutex_;
  std::map<std::string, Entry, std::less<>> sessions_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> order_ ABSL_GUARDED_BY(mutex_);  // ids, oldest first
  std::deque<std::string> ended_ ABSL_GUARDED_BY(mutex_);   // ids, first ended first
  std::map<ClientKey, std::string> keys_ ABSL_GUARDED_BY(mutex_);
  std::set<ClientKey> keys_being_opened_ ABSL_GUARDED_BY(mutex_);
  int being_opened_ ABSL_GUARDED_BY(mutex_) = 0;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SESSION_MANAGER_H_
