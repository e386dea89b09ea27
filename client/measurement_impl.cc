#include "client/measurement_impl.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/client_identity.h"
#include "client/grpc_connection.h"
#include "client/host_timing.h"

namespace pmu::client {
namespace {

constexpr absl::Duration kMinStartLead = absl::Milliseconds(20);
// A stop that comes late costs nothing but the time it is late.
constexpr absl::Duration kMinStopLead = absl::Milliseconds(2);
constexpr absl::Duration kMaxLead = absl::Seconds(2);
// Our own work to send one message, with a margin.
constexpr absl::Duration kLeadPerHost = absl::Microseconds(300);
// Hosts whose Trigger is not answered this long after the start are in doubt.
constexpr absl::Duration kTriggerGrace = absl::Milliseconds(500);
// When hosts that count a number of cycles are stopped if they never reach it.
constexpr absl::Duration kLongestRun = absl::Hours(24);
// An interval is told this long, and two intervals, after its end, whoever is
// missing then.
constexpr absl::Duration kIntervalGrace = absl::Milliseconds(750);
// For what is still on its way when every host has stopped.
constexpr absl::Duration kLastIntervals = absl::Seconds(2);
// Estimates as many times as bad as that in the middle are made once more, but
// none as good as this.
constexpr int64_t kBadClock = 3;
constexpr absl::Duration kGoodClock = absl::Microseconds(100);
constexpr absl::Duration kReleaseLimit = absl::Seconds(1);
// Who interrupts does not want to wait a time limit for a host that hangs.
constexpr absl::Duration kPatienceAfterInterrupt = absl::Seconds(2);
constexpr absl::Duration kProgressEvery = absl::Milliseconds(100);

int64_t ToNs(absl::Duration duration) { return absl::ToInt64Nanoseconds(duration); }

pmu::v1::StartSessionRequest MakeStartRequest(const MeasurementSpec& spec) {
  pmu::v1::StartSessionRequest request;
  request.set_dry_run(spec.dry_run);
  pmu::v1::SessionSpec& session = *request.mutable_spec();
  session.set_events(spec.events);
  *session.mutable_target() = spec.target;
  session.set_lease_ns(ToNs(spec.lease));
  session.set_client_id(spec.client_id.empty() ? ClientId() : spec.client_id);
  session.set_interval_ns(ToNs(spec.interval));
  session.set_freeze_on_smi(spec.freeze_on_smi);
  session.set_multiplex(spec.multiplex);
  session.set_cycle_limit(spec.cycle_limit);
  for (const auto& [key, text] : spec.labels) (*session.mutable_labels())[key] = text;
  return request;
}

}  // namespace

MeasurementImpl::MeasurementImpl(MeasurementSpec spec, FleetOptions options,
                                 std::vector<std::string> events)
    : spec_(std::move(spec)), options_(options), admission_(options.max_in_flight) {
  plan_.start_request = MakeStartRequest(spec_);
  plan_.timeout = options_.timeout;
  plan_.lease = spec_.lease;
  plan_.clock_probes = options_.clock_probes;
  plan_.interval = spec_.interval;
  plan_.clock_gate = &clock_gate_;
  plan_.counts = &counts_;
  result_.requested_events = std::move(events);
  result_.follows_task = spec_.target.pid() != 0 || !spec_.target.cgroup().empty();
  result_.hosts.resize(spec_.hosts.size());
  for (size_t i = 0; i < spec_.hosts.size(); ++i) result_.hosts[i].host = spec_.hosts[i];
}

MeasurementImpl::~MeasurementImpl() { ReleaseAll(kReleaseLimit); }

absl::Status MeasurementImpl::Connect() {
  const ConnectionFactory connect =
      GrpcConnectionFactory(&loop_, {options_.use_proxy, options_.timeout});
  for (HostResult& host : result_.hosts) {
    absl::StatusOr<std::unique_ptr<PmuConnection>> connection = connect(host.host);
    if (!connection.ok()) return connection.status();
    sessions_.push_back(
        std::make_unique<HostSession>(&loop_, &plan_, *std::move(connection), &host));
  }
  return absl::OkStatus();
}

size_t MeasurementImpl::CountSessions(bool (HostSession::*predicate)() const) const {
  return std::count_if(sessions_.begin(), sessions_.end(),
                       [=](const auto& session) { return ((*session).*predicate)(); });
}

void MeasurementImpl::Report(Phase phase, int64_t done, int64_t total) const {
  if (spec_.progress) spec_.progress(phase, done, total);
}

void MeasurementImpl::RequestStop(bool interrupted) {
  if (interrupted) interrupt_requested_ = true;
  stop_requested_ = true;
  loop_.Post([] {});  // wakes the driving thread, which then looks
}

// Arming -----------------------------------------------------------------------

absl::Status MeasurementImpl::Arm() {
  const int64_t total = static_cast<int64_t>(sessions_.size());
  Report(Phase::kConnect, 0, total);
  for (auto& entry : sessions_) {
    HostSession* session = entry.get();
    admission_.Enter([this, session, total] {
      if (released_) return;
      session->Arm([this, total] { Report(Phase::kConnect, ++reached_count_, total); },
                   [this, total] {
                     Report(Phase::kArm, ++armed_count_, total);
                     admission_.Leave();
                   });
    });
  }
  loop_.RunUntil([&] { return armed_count_ == sessions_.size() || StopRequested(); });
  if (StopRequested()) return GiveUp(absl::CancelledError("stopped before the start"));
  const size_t armed = spec_.dry_run ? CountSessions(&HostSession::dry_run_done)
                                     : CountSessions(&HostSession::has_session);
  if (armed < spec_.min_hosts) {
    return GiveUp(absl::UnavailableError(absl::StrCat("only ", armed, " of ", sessions_.size(),
                                                      " hosts could be armed, ", spec_.min_hosts,
                                                      " are required")));
  }
  if (!spec_.dry_run) RefineClocks();
  return absl::OkStatus();
}

// A host that was probed while this process, or the host, had much else to do
// would spoil the bound of the start skew for all.
void MeasurementImpl::RefineClocks() {
  std::vector<int64_t> errors_ns;
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i]->has_session()) errors_ns.push_back(result_.hosts[i].clock->error_ns);
  }
  const auto middle = errors_ns.begin() + static_cast<int64_t>(errors_ns.size() / 2);
  std::nth_element(errors_ns.begin(), middle, errors_ns.end());
  const int64_t bad_ns = std::max(*middle * kBadClock, ToNs(kGoodClock));
  const auto pending = std::make_shared<size_t>(0);
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (!sessions_[i]->has_session() || result_.hosts[i].clock->error_ns <= bad_ns) continue;
    ++*pending;
    sessions_[i]->RefineClock([pending] { --*pending; });
  }
  loop_.RunUntil([&] { return *pending == 0 || StopRequested(); });
}

absl::Status MeasurementImpl::GiveUp(absl::Status status) {
  for (size_t i = 0; i < sessions_.size(); ++i) {
    HostResult& host = result_.hosts[i];
    if (host.status.ok()) {
      host.status = absl::CancelledError(absl::StrCat("not measured: ", status.message()));
    }
  }
  ReleaseAll(kReleaseLimit);
  return status;
}

void MeasurementImpl::ReleaseAll(absl::Duration limit) {
  if (released_) return;
  released_ = true;
  for (auto& session : sessions_) session->Release(limit);
  const int64_t give_up_ns = loop_.NowNs() + ToNs(limit);
  const EventLoop::TimerId timer = loop_.RunAt(give_up_ns, [] {});
  loop_.RunUntil([&] { return counts_.busy == 0 || loop_.NowNs() >= give_up_ns; });
  loop_.CancelTimer(timer);
}

// Starting ---------------------------------------------------------------------

absl::Duration MeasurementImpl::Lead(absl::Duration at_least) const {
  absl::Duration slowest;
  for (const auto& session : sessions_) {
    if (session->has_session()) slowest = std::max(slowest, session->slowest_round_trip());
  }
  return std::min(at_least + 2 * slowest + kLeadPerHost * sessions_.size(), kMaxLead);
}

int64_t MeasurementImpl::WorstClockErrorNs() const {
  int64_t worst_ns = 0;
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (!sessions_[i]->has_session()) continue;
    worst_ns = std::max(worst_ns, result_.hosts[i].clock->error_ns);
  }
  return worst_ns;
}

absl::Status MeasurementImpl::Start() {
  if (spec_.dry_run || released_ || start_ns_ != 0) {
    return absl::FailedPreconditionError("Start needs a successful Arm that was no dry run");
  }
  const absl::Duration lead = Lead(kMinStartLead);
  start_ns_ = loop_.NowNs() + ToNs(lead);
  if (spec_.duration.has_value()) stop_ns_ = start_ns_ + ToNs(*spec_.duration);
  result_.started_wall_ns = loop_.clock().WallNs() + ToNs(lead);
  size_t triggered = 0;
  answered_count_ = 0;
  for (auto& session : sessions_) {
    if (!session->has_session()) continue;
    ++triggered;
    session->Trigger(start_ns_, stop_ns_, lead + std::min(kTriggerGrace, options_.timeout),
                     [this] { ++answered_count_; });
  }
  const int64_t passed_ns = start_ns_ + WorstClockErrorNs();
  loop_.RunAt(passed_ns, [] {});
  loop_.RunUntil([&] {
    return StopRequested() || (answered_count_ == triggered && loop_.NowNs() >= passed_ns);
  });
  if (StopRequested() && loop_.NowNs() < passed_ns) {
    return GiveUp(absl::CancelledError("stopped before the start"));
  }
  WatchAll();
  const size_t started = CountSessions(&HostSession::started);
  if (started >= spec_.min_hosts || StopRequested()) return absl::OkStatus();
  return GiveUp(absl::UnavailableError(absl::StrCat("only ", started, " of ", sessions_.size(),
                                                    " hosts could be started, ", spec_.min_hosts,
                                                    " are required")));
}

void MeasurementImpl::WatchAll() {
  if (spec_.interval <= absl::ZeroDuration()) return;
  assembler_ = std::make_unique<IntervalAssembler>(&result_, ToNs(spec_.interval),
                                                   [this](const Interval& interval) {
                                                     if (spec_.on_interval) {
                                                       spec_.on_interval(interval);
                                                     }
                                                   });
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i]->has_session()) {
      sessions_[i]->Watch(assembler_.get(), i);
    } else {
      assembler_->End(i);
    }
  }
  GiveUpLater(1);
}

void MeasurementImpl::GiveUpLater(uint64_t number) {
  const int64_t interval_ns = ToNs(spec_.interval);
  const int64_t wait_ns = 2 * interval_ns + ToNs(kIntervalGrace);
  const int64_t now_number = (loop_.NowNs() - start_ns_ - wait_ns) / interval_ns;
  const auto next = std::max<int64_t>(static_cast<int64_t>(number), now_number);
  loop_.RunAt(start_ns_ + next * interval_ns + wait_ns, [this, next] {
    if (start_ns_ == 0) return;  // being collected
    assembler_->GiveUp(static_cast<uint64_t>(next));
    GiveUpLater(static_cast<uint64_t>(next) + 1);
  });
}

void MeasurementImpl::EndIntervals() {
  if (assembler_ == nullptr) return;
  const int64_t give_up_ns = loop_.NowNs() + ToNs(std::min(options_.timeout, kLastIntervals));
  const EventLoop::TimerId timer = loop_.RunAt(give_up_ns, [] {});
  loop_.RunUntil([&] {
    return loop_.NowNs() >= give_up_ns ||
           std::all_of(sessions_.begin(), sessions_.end(),
                       [](const auto& session) { return session->watch_over(); });
  });
  loop_.CancelTimer(timer);
  assembler_->Finish();
}

// Running and ending -------------------------------------------------------------

void MeasurementImpl::ReportRunning() {
  const int64_t passed_ns = std::max<int64_t>(loop_.NowNs() - start_ns_, 0);
  Report(Phase::kRunning, passed_ns / 1'000'000,
         (stop_ns_ == 0 ? 0 : stop_ns_ - start_ns_) / 1'000'000);
  loop_.RunAfter(kProgressEvery, [this] {
    if (start_ns_ != 0) ReportRunning();
  });
}

int64_t MeasurementImpl::WaitForEnd() {
  // Once the planned stop has passed everywhere, whatever our clock error.
  const int64_t over_ns = stop_ns_ + WorstClockErrorNs();
  auto is_over = [&] { return stop_ns_ != 0 && loop_.NowNs() >= over_ns; };
  if (stop_ns_ != 0) loop_.RunAt(over_ns, [] {});
  loop_.RunUntil([&] { return is_over() || StopRequested() || counts_.open == 0; });
  if (is_over()) return stop_ns_;
  result_.interrupted = interrupt_requested_.load();
  const int64_t soon_ns = loop_.NowNs() + ToNs(Lead(kMinStopLead));
  return stop_ns_ == 0 ? soon_ns : std::min(soon_ns, stop_ns_);
}

int64_t MeasurementImpl::LatestEnd() const {
  return stop_ns_ != 0 ? stop_ns_ : start_ns_ + ToNs(kLongestRun);
}

void MeasurementImpl::CollectAll(int64_t stop_ns) {
  std::vector<HostSession*> open;
  for (auto& session : sessions_) {
    if (session->has_session()) open.push_back(session.get());
  }
  const int64_t total = static_cast<int64_t>(open.size());
  answered_count_ = 0;
  Report(Phase::kCollect, 0, total);
  for (HostSession* session : open) {
    session->Collect(stop_ns, [this, total] { Report(Phase::kCollect, ++answered_count_, total); });
  }
  bool moved = stop_ns <= loop_.NowNs();
  absl::optional<int64_t> give_up_ns;
  loop_.RunUntil([&] {
    // Only hosts that end by themselves are asked so long before the stop.
    if (!moved && StopRequested()) {
      moved = true;
      result_.interrupted = interrupt_requested_.load();
      for (HostSession* session : open)
        session->StopSooner(loop_.NowNs() + ToNs(Lead(kMinStopLead)));
    }
    if (!give_up_ns.has_value() && interrupt_requested_) {
      result_.interrupted = true;
      give_up_ns = loop_.NowNs() + ToNs(std::min(options_.timeout, kPatienceAfterInterrupt));
      loop_.RunAt(*give_up_ns, [] {});
    }
    return answered_count_ == open.size() ||
           (give_up_ns.has_value() && loop_.NowNs() >= *give_up_ns);
  });
  for (HostSession* session : open) session->GiveUp();
}

MeasurementResult MeasurementImpl::Finish() {
  if (start_ns_ == 0 || released_) return result_;
  if (spec_.progress) ReportRunning();
  const int64_t stop_ns = spec_.cycle_limit == 0 ? WaitForEnd() : LatestEnd();
  start_ns_ = 0;
  CollectAll(stop_ns);
  EndIntervals();
  ComputeSkew();
  ReleaseAll(kReleaseLimit);
  return result_;
}

void MeasurementImpl::ComputeSkew() {
  std::vector<MappedTime> starts;
  for (const HostResult& host : result_.hosts) {
    if (host.status.ok() && host.enabled.has_value()) starts.push_back(*host.enabled);
  }
  absl::optional<StartSkew> skew = ComputeStartSkew(starts);
  if (!skew.has_value()) return;
  result_.start_skew_ns = skew->skew_ns;
  result_.start_skew_error_ns = skew->error_ns;
}

}  // namespace pmu::client
