// pmu_methods.h: the RPCs of PmuService, thin wrappers around the agent.
//
// Thread-compatible; see unary_method.h.
#ifndef PMU_SERVER_SERVICE_PMU_METHODS_H_
#define PMU_SERVER_SERVICE_PMU_METHODS_H_

#include "proto/pmu/v1/service.grpc.pb.h"
#include "server/agent.h"
#include "server/service/call_queue.h"
#include "server/service/unary_method.h"
#include "server/service/watch_method.h"

namespace pmu::server {

class PmuMethods {
 public:
  // Both must outlive it.
  PmuMethods(Agent* agent, CallQueue* queue);

  // To be registered with the builder.
  grpc::Service* service() { return &service_; }

  // Begins to take calls; when the server is built.
  void Listen();

 private:
  absl::Status GetHost(const pmu::v1::GetHostRequest& request, pmu::v1::GetHostResponse* response);
  absl::Status ProbeClock(const pmu::v1::ProbeClockRequest& request,
                          pmu::v1::ProbeClockResponse* response);
  absl::Status ListCounters(const pmu::v1::ListCountersRequest& request,
                            pmu::v1::ListCountersResponse* response);
  absl::Status StartSession(const pmu::v1::StartSessionRequest& request, const std::string& peer,
                            pmu::v1::StartSessionResponse* response);
  absl::Status Trigger(const pmu::v1::TriggerRequest& request, pmu::v1::TriggerResponse* response);
  absl::Status Read(const pmu::v1::ReadRequest& request, pmu::v1::ReadResponse* response);
  // Answers when the session has stopped.
  void Stop(UnaryCall<pmu::v1::StopRequest, pmu::v1::StopResponse>* call);
  absl::Status RenewLease(const pmu::v1::RenewLeaseRequest& request,
                          pmu::v1::RenewLeaseResponse* response);
  absl::Status ListSessions(const pmu::v1::ListSessionsRequest& request,
                            pmu::v1::ListSessionsResponse* response);

  Agent* const agent_;
  pmu::v1::PmuService::AsyncService service_;
  UnaryMethod<pmu::v1::GetHostRequest, pmu::v1::GetHostResponse> get_host_;
  UnaryMethod<pmu::v1::ProbeClockRequest, pmu::v1::ProbeClockResponse> probe_clock_;
  UnaryMethod<pmu::v1::ListCountersRequest, pmu::v1::ListCountersResponse> list_counters_;
  UnaryMethod<pmu::v1::StartSessionRequest, pmu::v1::StartSessionResponse> start_session_;
  UnaryMethod<pmu::v1::TriggerRequest, pmu::v1::TriggerResponse> trigger_;
  UnaryMethod<pmu::v1::ReadRequest, pmu::v1::ReadResponse> read_;
  UnaryMethod<pmu::v1::StopRequest, pmu::v1::StopResponse> stop_;
  WatchMethod watch_;
  UnaryMethod<pmu::v1::RenewLeaseRequest, pmu::v1::RenewLeaseResponse> renew_lease_;
  UnaryMethod<pmu::v1::ListSessionsRequest, pmu::v1::ListSessionsResponse> list_sessions_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_PMU_METHODS_H_
