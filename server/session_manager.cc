#include "server/session_manager.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "server/event_plan.h"
#include "server/log.h"
#include "server/random_id.h"
#include "server/session_counters.h"

namespace pmu::server {
namespace {

constexpr int kMaxHoldersNamed = 8;

std::string ArmedLine(const Session& session) {
  const StartRequest& request = session.request();
  const auto& plan = session.plan();
  const auto unsupported =
      std::count_if(plan.begin(), plan.end(), [](const auto& p) { return !p.support.ok(); });
  std::string line =
      absl::StrCat("session ", session.id(), " armed: client ", Quoted(request.spec.client_id),
                   " from ", request.peer, ", events ", Quoted(request.spec.events_text), ", ",
                   TargetText(request.spec.target), ", ", session.slots().size(), " counters");
  if (unsupported > 0) absl::StrAppend(&line, ", ", unsupported, " events not supported");
  return line;
}

std::string EndedLine(const Session& session) {
  const SessionStatus status = session.Status();
  std::string line =
      absl::StrCat("session ", session.id(), " ended ", SessionStateName(status.state), ": client ",
                   Quoted(session.request().spec.client_id));
  if (status.timing.disable_begin_ns != 0) {
    const double seconds =
        static_cast<double>(status.timing.disable_begin_ns - status.timing.enable_begin_ns) / 1e9;
    absl::StrAppendFormat(&line, ", counted for %.3f s", seconds);
  } else {
    absl::StrAppend(&line, ", never counted");
  }
  if (!status.failure.empty()) absl::StrAppend(&line, "; ", status.failure);
  return line;
}

}  // namespace

SessionManager::SessionManager(std::vector<CounterBackend*> backends, const Limits& limits,
                               Scheduler* scheduler, const Clock* clock)
    : backends_(std::move(backends)), limits_(limits), scheduler_(scheduler), clock_(clock) {}

SessionManager::~SessionManager() { Shutdown(); }

absl::StatusOr<StartedSession> SessionManager::Start(StartRequest request) {
  if (request.dry_run) {
    absl::StatusOr<std::vector<PlannedEvent>> plan =
        PlanEvents(backends_, request.spec.events, request.spec.target);
    if (!plan.ok()) return plan.status();
    return StartedSession{nullptr, *std::move(plan)};
  }
  absl::StatusOr<std::shared_ptr<Session>> known = TakePlace(request);
  if (!known.ok()) return known.status();
  if (*known != nullptr) return StartedSession{*std::move(known), {}};

  const StartRequest place = request;
  absl::StatusOr<std::shared_ptr<Session>> session = nullptr;
  absl::StatusOr<std::vector<PlannedEvent>> plan =
      PlanEvents(backends_, request.spec.events, request.spec.target);
  if (plan.ok()) {
    session = Open(std::move(request), *std::move(plan));
  } else {
    session = plan.status();
  }
  ReleasePlace(place);
  if (!session.ok()) return session.status();
  Log(LogLevel::kInfo, ArmedLine(**session));
  if (place.start_now) {
    absl::Status status = (*session)->Trigger(0, 0);
    if (!status.ok()) return status;
  }
  return StartedSession{*std::move(session), {}};
}

absl::StatusOr<std::shared_ptr<Session>> SessionManager::TakePlace(const StartRequest& request) {
  absl::MutexLock lock(&mutex_);
  if (shut_down_) return absl::UnavailableError("the agent is stopping");
  const ClientKey key(request.spec.client_id, request.idempotency_key);
  if (!request.idempotency_key.empty()) {
    const auto known = keys_.find(key);
    if (known != keys_.end()) {
      const std::shared_ptr<Session>& session = sessions_.find(known->second)->second.session;
      if (SameRequest(session->request().spec, request.spec)) return session;
      return absl::InvalidArgumentError(
          absl::StrCat("idempotency_key ", Quoted(request.idempotency_key),
                       " was used for another request; take a new key for each session"));
    }
    if (keys_being_opened_.contains(key)) {
      return absl::AbortedError(absl::StrCat("a call with idempotency_key ",
                                             Quoted(request.idempotency_key),
                                             " is under way; retry in a moment"));
    }
  }
  if (LiveCountLocked() + being_opened_ >= limits_.max_sessions) {
    return absl::ResourceExhaustedError(
        absl::StrCat("1 more session is needed, but ", LiveCountLocked() + being_opened_, " of ",
                     limits_.max_sessions, " allowed are in use, held by ", HoldersLocked()));
  }
  if (!request.idempotency_key.empty()) keys_being_opened_.insert(key);
  ++being_opened_;
  return nullptr;
}

void SessionManager::ReleasePlace(const StartRequest& request) {
  absl::MutexLock lock(&mutex_);
  --being_opened_;
  keys_being_opened_.erase(ClientKey(request.spec.client_id, request.idempotency_key));
}

absl::Status SessionManager::CheckDescriptors(size_t needed) const {
  absl::MutexLock lock(&mutex_);
  const size_t used = DescriptorsLocked();
  const auto allowed = static_cast<size_t>(limits_.max_descriptors);
  if (used + needed <= allowed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      needed, " counters are needed, but ", used, " of ", allowed, " allowed are open",
      used > 0 ? absl::StrCat(", held by ", HoldersLocked()) : "",
      "; count fewer events or CPUs, or start the agent with a higher limit (ulimit -n, "
      "LimitNOFILE=)"));
}

absl::Status SessionManager::AddExhaustion(const absl::Status& status) const {
  if (!absl::IsResourceExhausted(status)) return status;
  absl::MutexLock lock(&mutex_);
  if (LiveCountLocked() == 0) return status;
  return absl::ResourceExhaustedError(
      absl::StrCat(status.message(), "; sessions are held by ", HoldersLocked()));
}

absl::StatusOr<std::shared_ptr<Session>> SessionManager::Open(StartRequest request,
                                                              std::vector<PlannedEvent> plan) {
  absl::Status status = CheckDescriptors(CountersNeeded(plan));
  if (!status.ok()) return status;
  absl::StatusOr<SessionCounters> counters =
      SessionCounters::Open(backends_, request.spec.target, &plan);
  if (!counters.ok()) return AddExhaustion(counters.status());
  NameHolders(&plan);
  status = CheckDescriptors(counters->descriptor_count());
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<SampleRing>> ring =
      MakeRing(request.spec, counters->slots().size());
  if (!ring.ok()) return ring.status();
  absl::StatusOr<std::shared_ptr<void>> machine_hold = HoldMachine(request.spec, plan);
  if (!machine_hold.ok()) return machine_hold.status();

  const uint64_t cycle_limit = request.spec.cycle_limit;
  Session::Parts parts;
  parts.ring = *std::move(ring);
  parts.sampler = sampler_;
  parts.id = absl::StrCat("s-", RandomHex());
  parts.request = std::move(request);
  parts.plan = std::move(plan);
  parts.counters = *std::move(counters);
  parts.machine_hold = *std::move(machine_hold);
  parts.on_ended = [this](const Session& session) { OnEnded(session); };
  std::shared_ptr<Session> session = Session::Create(std::move(parts), scheduler_, clock_);
  if (cycle_limit != 0) status = session->LimitCycles(cycle_limit);
  if (!status.ok()) return status;
  status = Insert(session);
  if (!status.ok()) return status;
  return session;
}

absl::StatusOr<std::unique_ptr<SampleRing>> SessionManager::MakeRing(const SessionSpec& spec,
                                                                     size_t slots) const {
  if (spec.interval_ns == 0) return nullptr;
  if (sampler_ == nullptr) {
    return absl::FailedPreconditionError("interval_ns: this agent takes no interval samples");
  }
  const size_t bytes = SampleRing::SampleBytes(slots);
  size_t used = 0;
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, entry] : sessions_) used += entry.ring_bytes;
  const size_t left = limits_.max_all_rings_bytes - std::min(used, limits_.max_all_rings_bytes);
  const size_t room = std::min(limits_.max_ring_bytes, left) / bytes;
  if (room < kMinRingSamples) {
    return absl::ResourceExhaustedError(
        absl::StrCat("interval samples of ", bytes, " bytes need room for ", kMinRingSamples,
                     "; there is room for ", room,
                     used > 0 ? absl::StrCat(", the rest is held by ", HoldersLocked()) : "",
                     "; count fewer events or CPUs"));
  }
  const auto wanted = spec.ring_samples != 0 ? spec.ring_samples : kRingNs / spec.interval_ns + 1;
  return SampleRing::Create(slots, std::clamp<size_t>(wanted, kMinRingSamples, room));
}

// With the switch on, the events are to be compared with each other: one
// missing makes the session worthless, so the switch is left alone.
absl::StatusOr<std::shared_ptr<void>> SessionManager::HoldMachine(
    const SessionSpec& spec, const std::vector<PlannedEvent>& plan) const {
  if (!spec.freeze_on_smi) return nullptr;
  if (!freeze_on_smi_) {
    return absl::FailedPreconditionError("freeze_on_smi: this agent cannot set that switch");
  }
  for (const PlannedEvent& planned : plan) {
    if (planned.support.ok()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("freeze_on_smi: ", Quoted(planned.event.text),
                     " cannot be counted here: ", planned.support.message()));
  }
  return freeze_on_smi_();
}

absl::Status SessionManager::Insert(const std::shared_ptr<Session>& session) {
  absl::MutexLock lock(&mutex_);
  if (shut_down_) return absl::UnavailableError("the agent is stopping");
  const std::string& id = session->id();
  const size_t ring_bytes =
      session->ring() == nullptr
          ? 0
          : session->ring()->capacity() * SampleRing::SampleBytes(session->slots().size());
  sessions_[id] = {session, session->Status().descriptors, ring_bytes, false};
  order_.push_back(id);
  const StartRequest& request = session->request();
  if (!request.idempotency_key.empty()) {
    keys_[ClientKey(request.spec.client_id, request.idempotency_key)] = id;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Session>> SessionManager::Find(absl::string_view id) const {
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(std::string(id));
  if (found != sessions_.end()) return found->second.session;
  return absl::NotFoundError(
      absl::StrCat("there is no session ", Quoted(id),
                   " here: it ended more than a minute ago, or the agent was started again"));
}

std::vector<std::shared_ptr<Session>> SessionManager::List(absl::string_view client_id) const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Session>> sessions;
  for (const std::string& id : order_) {
    const std::shared_ptr<Session>& session = sessions_.find(id)->second.session;
    if (client_id.empty() || session->request().spec.client_id == client_id) {
      sessions.push_back(session);
    }
  }
  return sessions;
}

void SessionManager::Shutdown() {
  {
    absl::MutexLock lock(&mutex_);
    shut_down_ = true;
  }
  for (const std::shared_ptr<Session>& session : List()) session->Shutdown();
}

void SessionManager::OnEnded(const Session& session) {
  Log(LogLevel::kInfo, EndedLine(session));
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(session.id());
  if (found == sessions_.end()) return;  // ended before it was ever inserted
  found->second.ended = true;
  found->second.descriptors = 0;
  ended_.push_back(session.id());
  if (ended_.size() > limits_.max_ended_sessions) ForgetLocked(std::string(ended_.front()));
  if (shut_down_) return;
  scheduler_->At(clock_->MonotonicNs() + kKeepEndedNs, Scheduler::Precision::kCoarse,
                 [this, id = session.id()] { Forget(id); });
}

void SessionManager::Forget(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  ForgetLocked(id);
}

void SessionManager::ForgetLocked(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;  // went early, see max_ended_sessions
  const StartRequest& request = found->second.session->request();
  keys_.erase(ClientKey(request.spec.client_id, request.idempotency_key));
  order_.erase(std::find(order_.begin(), order_.end(), id));
  ended_.erase(std::find(ended_.begin(), ended_.end(), id));
  sessions_.erase(found);
}

int SessionManager::LiveCountLocked() const {
  return static_cast<int>(sessions_.size() - ended_.size());
}

size_t SessionManager::DescriptorsLocked() const {
  size_t count = 0;
  for (const auto& [id, entry] : sessions_) count += entry.descriptors;
  return count;
}

void SessionManager::NameHolders(std::vector<PlannedEvent>* plan) const {
  absl::MutexLock lock(&mutex_);
  for (PlannedEvent& planned : *plan) {
    if (!absl::IsResourceExhausted(planned.support)) continue;
    const std::string holders = HoldersLocked(planned.backend);
    if (holders.empty()) continue;
    planned.support = absl::ResourceExhaustedError(
        absl::StrCat(planned.support.message(), "; counters are held by ", holders));
  }
}

std::string SessionManager::HoldersLocked(int backend) const {
  std::vector<std::string> holders;
  int count = 0;
  for (const std::string& id : order_) {
    const Entry& entry = sessions_.find(id)->second;
    const std::vector<PlannedEvent>& plan = entry.session->plan();
    const bool holds = backend == kNoBackend ||
                       std::any_of(plan.begin(), plan.end(), [backend](const PlannedEvent& event) {
                         return event.backend == backend && event.support.ok();
                       });
    if (entry.ended || !holds || ++count > kMaxHoldersNamed) continue;
    const absl::Time since = absl::FromUnixNanos(entry.session->created_wall_ns());
    holders.push_back(
        absl::StrCat(Quoted(entry.session->request().spec.client_id), " (", id, ", since ",
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", since, absl::UTCTimeZone()), ")"));
  }
  if (count > kMaxHoldersNamed) {
    holders.push_back(absl::StrCat("and ", count - kMaxHoldersNamed, " more"));
  }
  if (holders.empty() && backend == kNoBackend) return "calls under way";
  return absl::StrJoin(holders, ", ");
}

}  // namespace pmu::server
