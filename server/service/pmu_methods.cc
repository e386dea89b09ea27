#include "server/service/pmu_methods.h"

#include <memory>
#include <string>
#include <utility>

#include "server/proto_convert.h"
#include "server/spec_check.h"

namespace pmu::server {
namespace {

using SessionPtr = std::shared_ptr<Session>;

// How gRPC is asked for the next call of a method.
#define PMU_ACCEPT(method)                                          \
  [this](grpc::ServerContext* context, auto* request, auto* writer, \
         grpc::ServerCompletionQueue* calls,                        \
         void* tag) { service_.Request##method(context, request, writer, calls, calls, tag); }

// A method that answers at once.
#define PMU_METHOD(method)            \
#method, queue, PMU_ACCEPT(method), \
      [this](auto* call) { call->Finish(method(call->request(), call->response())); }

}  // namespace

PmuMethods::PmuMethods(Agent* agent, CallQueue* queue)
    : agent_(agent),
      get_host_(PMU_METHOD(GetHost)),
      probe_clock_(PMU_METHOD(ProbeClock)),
      list_counters_(PMU_METHOD(ListCounters)),
      start_session_("StartSession", queue, PMU_ACCEPT(StartSession),
                     [this](auto* call) {
                       call->Finish(StartSession(call->request(), call->peer(), call->response()));
                     }),
      trigger_(PMU_METHOD(Trigger)),
      read_(PMU_METHOD(Read)),
      stop_(
          "Stop", queue, PMU_ACCEPT(Stop), [this](auto* call) { Stop(call); },
          decltype(stop_)::Cancelling::kWatched),
      watch_(agent, &service_, queue),
      renew_lease_(PMU_METHOD(RenewLease)),
      list_sessions_(PMU_METHOD(ListSessions)) {}

#undef PMU_METHOD
#undef PMU_ACCEPT

void PmuMethods::Listen() {
  get_host_.Listen();
  probe_clock_.Listen();
  list_counters_.Listen();
  start_session_.Listen();
  trigger_.Listen();
  read_.Listen();
  stop_.Listen();
  watch_.Listen();
  renew_lease_.Listen();
  list_sessions_.Listen();
}

absl::Status PmuMethods::GetHost(const pmu::v1::GetHostRequest&,
                                 pmu::v1::GetHostResponse* response) {
  agent_->FillHost(response->mutable_host());
  return absl::OkStatus();
}

absl::Status PmuMethods::ProbeClock(const pmu::v1::ProbeClockRequest&,
                                    pmu::v1::ProbeClockResponse* response) {
  response->set_receive_ns(agent_->clock().MonotonicNs());
  response->set_send_ns(agent_->clock().MonotonicNs());
  return absl::OkStatus();
}

absl::Status PmuMethods::ListCounters(const pmu::v1::ListCountersRequest& request,
                                      pmu::v1::ListCountersResponse* response) {
  const absl::StatusOr<CatalogPage> page = agent_->catalog().List(
      {request.filter(), request.page_size(), request.page_token(), request.available_only()});
  if (!page.ok()) return page.status();
  for (const CatalogEntry* entry : page->entries) {
    ToProto(entry->info, entry->backend, response->add_counters());
  }
  response->set_next_page_token(page->next_page_token);
  response->set_total_size(static_cast<uint32_t>(page->total_size));
  return absl::OkStatus();
}

absl::Status PmuMethods::StartSession(const pmu::v1::StartSessionRequest& request,
                                      const std::string& peer,
                                      pmu::v1::StartSessionResponse* response) {
  absl::StatusOr<StartRequest> checked = CheckStartRequest(request, agent_->sessions().limits());
  if (!checked.ok()) return checked.status();
  checked->peer = peer;
  const absl::StatusOr<StartedSession> started = agent_->sessions().Start(*std::move(checked));
  if (!started.ok()) return started.status();
  const Session* session = started->session.get();
  for (const PlannedEvent& planned : session ? session->plan() : started->dry_run_plan) {
    ToProto(planned, response->add_events());
  }
  if (session == nullptr) return absl::OkStatus();
  ToProto(*session, response->mutable_session());
  for (const CounterSlot& slot : session->slots()) ToProto(slot, response->add_slots());
  return absl::OkStatus();
}

absl::Status PmuMethods::Trigger(const pmu::v1::TriggerRequest& request,
                                 pmu::v1::TriggerResponse*) {
  const absl::StatusOr<SessionPtr> session = agent_->sessions().Find(request.session_id());
  if (!session.ok()) return session.status();
  return (*session)->Trigger(request.start_at_ns(), request.stop_at_ns());
}

absl::Status PmuMethods::Read(const pmu::v1::ReadRequest& request,
                              pmu::v1::ReadResponse* response) {
  const absl::StatusOr<SessionPtr> session = agent_->sessions().Find(request.session_id());
  if (!session.ok()) return session.status();
  (*session)->Read([response](const Sample& sample, SessionState state) {
    ToProto(sample, response->mutable_sample());
    response->set_state(ToProto(state));
  });
  return absl::OkStatus();
}

void PmuMethods::Stop(UnaryCall<pmu::v1::StopRequest, pmu::v1::StopResponse>* call) {
  const absl::StatusOr<SessionPtr> found = agent_->sessions().Find(call->request().session_id());
  if (!found.ok()) {
    call->Finish(found.status());
    return;
  }
  const SessionPtr& session = *found;
  const auto answer = [call, session](const absl::Status& status) {
    if (status.ok()) {
      session->Read([call](const Sample& sample, SessionState) {
        ToProto(sample, call->response()->mutable_sample());
      });
      ToProto(*session, call->response()->mutable_session());
      for (const std::string& note : session->Status().notes) call->response()->add_notes(note);
    }
    call->Finish(status);
  };
  // on_done first: once Stop is called the call may be over at any moment.
  auto waiter = std::make_shared<Session::WaiterId>(0);
  call->set_on_done([call, session, waiter](bool cancelled) {
    if (cancelled && *waiter != 0 && session->AbandonStop(*waiter)) {
      call->Finish(absl::CancelledError("the client is gone"));
    }
  });
  *waiter = session->Stop(call->request().stop_at_ns(), answer);
}

absl::Status PmuMethods::RenewLease(const pmu::v1::RenewLeaseRequest& request,
                                    pmu::v1::RenewLeaseResponse* response) {
  const absl::StatusOr<SessionPtr> session = agent_->sessions().Find(request.session_id());
  if (!session.ok()) return session.status();
  const absl::StatusOr<int64_t> expires_ns = (*session)->Renew();
  if (!expires_ns.ok()) return expires_ns.status();
  response->set_lease_expires_ns(*expires_ns);
  if (request.align_number() != 0) {
    const absl::Status aligned =
        (*session)->AlignIntervals(request.align_number(), request.align_due_ns());
    if (!aligned.ok()) return aligned;
  }
  return absl::OkStatus();
}

absl::Status PmuMethods::ListSessions(const pmu::v1::ListSessionsRequest& request,
                                      pmu::v1::ListSessionsResponse* response) {
  for (const SessionPtr& session : agent_->sessions().List(request.client_id())) {
    ToProto(*session, response->add_sessions());
  }
  return absl::OkStatus();
}

}  // namespace pmu::server
