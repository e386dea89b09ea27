#include "tests/fakes/fake_agent.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "common/clock.h"
#include "common/grpc_status.h"
#include "proto/pmu/v1/service.grpc.pb.h"

namespace pmu {
namespace {

constexpr int kCpus = 2;
constexpr int64_t kEnableTookNs = 10'000;

struct Script {
  absl::Status error;
  int failures_left = 0;
  absl::Duration delay;
  absl::Duration answer_delay;
  int calls = 0;
};

struct FakeSession {
  pmu::v1::Session session;
  pmu::v1::StartSessionResponse opened;
  pmu::v1::StopResponse stopped;
};

}  // namespace

class FakeAgent::Service final : public pmu::v1::PmuService::Service {
 public:
  grpc::Status GetHost(grpc::ServerContext* context, const pmu::v1::GetHostRequest*,
                       pmu::v1::GetHostResponse* response) override {
    return Run("GetHost", context, [&] {
      pmu::v1::Host* host = response->mutable_host();
      host->set_hostname("fake");
      host->set_boot_id(absl::StrCat("boot-", boots_));
      host->set_agent_instance(absl::StrCat("instance-", starts_));
      host->set_agent_version("0.0.1");
      host->set_monotonic_ns(Now());
      return absl::OkStatus();
    });
  }

  grpc::Status ProbeClock(grpc::ServerContext* context, const pmu::v1::ProbeClockRequest*,
                          pmu::v1::ProbeClockResponse* response) override {
    return Run("ProbeClock", context, [&] {
      response->set_receive_ns(Now());
      response->set_send_ns(Now());
      return absl::OkStatus();
    });
  }

  // Three pages of two counters each.
  grpc::Status ListCounters(grpc::ServerContext* context,
                            const pmu::v1::ListCountersRequest* request,
                            pmu::v1::ListCountersResponse* response) override {
    return Run("ListCounters", context, [&] {
      const int page = request->page_token().empty() ? 0 : request->page_token()[0] - '0';
      for (int i = 0; i < 2; ++i) {
        response->add_counters()->set_name(absl::StrCat("counter", 2 * page + i));
      }
      if (page < 2) response->set_next_page_token(absl::StrCat(page + 1));
      response->set_total_size(6);
      return absl::OkStatus();
    });
  }

  grpc::Status StartSession(grpc::ServerContext* context,
                            const pmu::v1::StartSessionRequest* request,
                            pmu::v1::StartSessionResponse* response) override {
    return Run("StartSession", context, [&] {
      std::string& id = id_of_key_[request->idempotency_key()];
      if (!id.empty()) {
        *response = sessions_[id].opened;
        return absl::OkStatus();
      }
      Describe(request->spec().events(), response);
      if (request->dry_run()) return absl::OkStatus();
      id = absl::StrCat("s-", ++last_session_);
      last_client_id_ = request->spec().client_id();
      FakeSession& made = sessions_[id];
      made.session.set_id(id);
      *made.session.mutable_spec() = request->spec();
      made.session.set_state(pmu::v1::SESSION_STATE_ARMED);
      *response->mutable_session() = made.session;
      made.opened = *response;
      return absl::OkStatus();
    });
  }

  grpc::Status Trigger(grpc::ServerContext* context, const pmu::v1::TriggerRequest* request,
                       pmu::v1::TriggerResponse*) override {
    return Run("Trigger", context, [&] {
      FakeSession* found = Find(request->session_id());
      if (found == nullptr) return NoSession();
      if (request->start_at_ns() <= Now()) return absl::OutOfRangeError("start_at_ns is past");
      pmu::v1::SessionTiming* timing = found->session.mutable_timing();
      timing->set_planned_start_ns(request->start_at_ns());
      timing->set_planned_stop_ns(request->stop_at_ns());
      timing->set_enable_begin_ns(request->start_at_ns() + lateness_ns_);
      timing->set_enable_end_ns(timing->enable_begin_ns() + kEnableTookNs);
      found->session.set_state(pmu::v1::SESSION_STATE_RUNNING);
      enabled_at_ns_ = timing->enable_begin_ns() - offset_ns_;
      return absl::OkStatus();
    });
  }

  grpc::Status Stop(grpc::ServerContext* context, const pmu::v1::StopRequest* request,
                    pmu::v1::StopResponse* response) override {
    int64_t wait_ns = 0;
    grpc::Status status = Run("Stop", context, [&] {
      FakeSession* found = Find(request->session_id());
      if (found == nullptr) return NoSession();
      if (found->session.state() != pmu::v1::SESSION_STATE_STOPPED) {
        wait_ns = EndSession(request->stop_at_ns(), found);
      }
      *response = found->stopped;
      return absl::OkStatus();
    });
    Wait(context, absl::Nanoseconds(std::max<int64_t>(wait_ns, 0)));
    return status;
  }

  grpc::Status RenewLease(grpc::ServerContext* context, const pmu::v1::RenewLeaseRequest* request,
                          pmu::v1::RenewLeaseResponse*) override {
    return Run("RenewLease", context, [&] {
      return Find(request->session_id()) == nullptr ? NoSession() : absl::OkStatus();
    });
  }

  // The rest is state that tests set and read; all under mutex_.
  template <class Function>
  auto Locked(Function function) {
    absl::MutexLock lock(&mutex_);
    return function();
  }

  absl::Mutex mutex_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, FakeSession> sessions_;
  std::map<std::string, std::string> id_of_key_;
  int64_t offset_ns_ = 0;
  int64_t lateness_ns_ = 0;
  uint64_t raw_count_ = 1000;
  int last_session_ = 0;
  int starts_ = 1;
  int boots_ = 1;
  int64_t enabled_at_ns_ = 0;
  int64_t disabled_at_ns_ = 0;
  std::string last_client_id_;
  bool leaving_ = false;

 private:
  static absl::Status NoSession() { return absl::NotFoundError("no such session"); }

  int64_t Now() const { return SystemClock().MonotonicNs() + offset_ns_; }

  // Not one long sleep: a call that is cancelled, or whose agent vanishes, ends.
  void Wait(grpc::ServerContext* context, absl::Duration time) {
    const int64_t until_ns = SystemClock().MonotonicNs() + absl::ToInt64Nanoseconds(time);
    while (SystemClock().MonotonicNs() < until_ns && !context->IsCancelled()) {
      if (Locked([this] { return leaving_; })) return;
      absl::SleepFor(std::min(absl::Milliseconds(1),
                              absl::Nanoseconds(until_ns - SystemClock().MonotonicNs())));
    }
  }

  template <class Function>
  grpc::Status Run(const char* method, grpc::ServerContext* context, Function handle) {
    absl::Duration delay = Locked([&] {
      ++scripts_[method].calls;
      return scripts_[method].delay;
    });
    Wait(context, delay);
    absl::Duration answer_delay;
    absl::Status status = Locked([&]() -> absl::Status {
      Script& script = scripts_[method];
      answer_delay = script.answer_delay;
      if (script.failures_left > 0) {
        --script.failures_left;
        return script.error;
      }
      return handle();
    });
    Wait(context, answer_delay);
    return ToGrpcStatus(status);
  }

  FakeSession* Find(const std::string& id) {
    auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
  }

  static void Describe(const std::string& events, pmu::v1::StartSessionResponse* response) {
    for (const std::string& text : std::vector<std::string>(absl::StrSplit(events, ','))) {
      pmu::v1::ResolvedEvent* event = response->add_events();
      event->set_requested_index(response->events_size() - 1);
      event->set_text(text);
      event->set_backend("fake");
      event->set_scale(1);
      event->set_domain(pmu::v1::COUNTER_DOMAIN_CPU);
      event->set_kind(pmu::v1::COUNTER_KIND_DELTA);
      event->set_combine(pmu::v1::COMBINE_RULE_SUM);
      event->set_supported(text != "missing");
      if (!event->supported()) event->set_reason("fake has no such event");
      for (int cpu = 0; event->supported() && cpu < kCpus; ++cpu) {
        event->add_cpus(cpu);
        pmu::v1::CounterSlot* slot = response->add_slots();
        slot->set_event(response->events_size() - 1);
        slot->set_cpu(cpu);
      }
    }
  }

  // Returns how long the caller has to wait for the end.
  int64_t EndSession(int64_t stop_at_ns, FakeSession* ending) {
    pmu::v1::SessionTiming* timing = ending->session.mutable_timing();
    int64_t end_ns = stop_at_ns == 0 ? Now() : std::max(stop_at_ns, Now());
    if (timing->planned_stop_ns() != 0) end_ns = std::min(end_ns, timing->planned_stop_ns());
    const int64_t wait_ns = end_ns - Now();
    if (timing->enable_begin_ns() != 0) {
      timing->set_disable_begin_ns(end_ns);
      timing->set_disable_end_ns(end_ns + kEnableTookNs);
      disabled_at_ns_ = end_ns - offset_ns_;
    }
    ending->session.set_state(pmu::v1::SESSION_STATE_STOPPED);
    const uint64_t ran_ns = timing->enable_begin_ns() == 0
                                ? 0
                                : static_cast<uint64_t>(end_ns - timing->enable_begin_ns());
    pmu::v1::Sample* sample = ending->stopped.mutable_sample();
    sample->set_sequence(1);
    for (int i = 0; i < ending->opened.slots_size(); ++i) {
      sample->add_raw_count(raw_count_);
      sample->add_enabled_ns(ran_ns);
      sample->add_running_ns(ran_ns);
      sample->add_state(ran_ns == 0 ? pmu::v1::READING_STATE_NOT_COUNTED
                                    : pmu::v1::READING_STATE_COUNTED);
    }
    *ending->stopped.mutable_session() = ending->session;
    return wait_ns;
  }
};

struct FakeAgent::Server {
  std::unique_ptr<grpc::Server> grpc;
};

FakeAgent::FakeAgent() : service_(std::make_unique<Service>()), server_(new Server) {
  Listen("127.0.0.1:0");
}

FakeAgent::~FakeAgent() { Vanish(); }

void FakeAgent::Listen(const std::string& address) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(service_.get());
  server_->grpc = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

void FakeAgent::Vanish() {
  if (server_->grpc == nullptr) return;
  service_->Locked([this] { service_->leaving_ = true; });
  server_->grpc->Shutdown(gpr_time_0(GPR_CLOCK_MONOTONIC));
  server_->grpc->Wait();
  server_->grpc.reset();
  service_->Locked([this] { service_->leaving_ = false; });
}

void FakeAgent::Return() { Listen(address_); }

void FakeAgent::ForgetSessions() {
  service_->Locked([this] {
    service_->sessions_.clear();
    service_->id_of_key_.clear();
    ++service_->starts_;
  });
}

void FakeAgent::Reboot() {
  ForgetSessions();
  service_->Locked([this] { ++service_->boots_; });
}

void FakeAgent::SetClockOffset(int64_t offset_ns) {
  service_->Locked([&] { service_->offset_ns_ = offset_ns; });
}

void FakeAgent::SetCount(uint64_t raw_count) {
  service_->Locked([&] { service_->raw_count_ = raw_count; });
}

void FakeAgent::SetEnableLateness(absl::Duration lateness) {
  service_->Locked([&] { service_->lateness_ns_ = absl::ToInt64Nanoseconds(lateness); });
}

void FakeAgent::Fail(const std::string& method, const absl::Status& status, int times) {
  service_->Locked([&] {
    service_->scripts_[method].error = status;
    service_->scripts_[method].failures_left = times;
  });
}

void FakeAgent::Delay(const std::string& method, absl::Duration delay) {
  service_->Locked([&] { service_->scripts_[method].delay = delay; });
}

void FakeAgent::DelayAnswer(const std::string& method, absl::Duration delay) {
  service_->Locked([&] { service_->scripts_[method].answer_delay = delay; });
}

int FakeAgent::calls(const std::string& method) const {
  return service_->Locked([&] { return service_->scripts_[method].calls; });
}

int FakeAgent::open_sessions() const {
  return service_->Locked([&] {
    return static_cast<int>(std::count_if(
        service_->sessions_.begin(), service_->sessions_.end(), [](const auto& entry) {
          const pmu::v1::SessionState state = entry.second.session.state();
          return state == pmu::v1::SESSION_STATE_ARMED || state == pmu::v1::SESSION_STATE_RUNNING;
        }));
  });
}

int64_t FakeAgent::enabled_at_ns() const {
  return service_->Locked([&] { return service_->enabled_at_ns_; });
}

int64_t FakeAgent::disabled_at_ns() const {
  return service_->Locked([&] { return service_->disabled_at_ns_; });
}

std::string FakeAgent::last_client_id() const {
  return service_->Locked([&] { return service_->last_client_id_; });
}

}  // namespace pmu
