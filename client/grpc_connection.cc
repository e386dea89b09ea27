#include "client/grpc_connection.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "client/grpc_time.h"
#include "client/grpc_watch_stream.h"
#include "client/rpc_error.h"
#include "common/grpc_status.h"
#include "common/host_list.h"
#include "proto/pmu/v1/service.grpc.pb.h"

namespace pmu::client {
namespace {

using Stub = pmu::v1::PmuService::Stub;

constexpr int kMaxReceiveBytes = 64 * 1024 * 1024;
constexpr int kInitialBackoffMs = 100;
constexpr int kMaxBackoffMs = 1000;
// A peer that is gone is noticed within these two together, while a call is
// under way. gRPC also gives the second to the kernel as TCP_USER_TIMEOUT.
constexpr int kWindowBytes = 1024 * 1024;
constexpr int kKeepaliveMs = 10'000;
constexpr int kKeepaliveTimeoutMs = 5'000;

grpc::ChannelArguments ChannelOptions(const GrpcConnectionOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, options.use_proxy ? 1 : 0);
  // Channels of the global pool would share back-off with earlier attempts.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, kMaxBackoffMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kInitialBackoffMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxBackoffMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                   static_cast<int>(absl::ToInt64Milliseconds(
                       std::clamp(options.connect_timeout, absl::Seconds(1), absl::Hours(1)))));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A window that serves instead of pings that find the best one: those would
  // wake up the hosts that are measured.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
  arguments.SetUserAgentPrefix("pmu-client");
  return arguments;
}

class GrpcConnection;

// What the connection must know about a call whose response type it does not.
class PendingCall : public EventLoop::Operation {
 public:
  // The owner is going away: cancels, and forgets whom to tell.
  virtual void Abandon() = 0;
};

class GrpcConnection final : public PmuConnection {
 public:
  GrpcConnection(EventLoop* loop, const std::shared_ptr<grpc::Channel>& channel,
                 RpcErrorContext errors)
      : loop_(loop), stub_(pmu::v1::PmuService::NewStub(channel)), errors_(std::move(errors)) {}

  ~GrpcConnection() override {
    for (PendingCall* call : pending_) call->Abandon();
  }

  void GetHost(const pmu::v1::GetHostRequest& request, absl::Duration timeout,
               Done<pmu::v1::GetHostResponse> done) override {
    Begin(&Stub::PrepareAsyncGetHost, request, timeout, std::move(done));
  }
  void ProbeClock(const pmu::v1::ProbeClockRequest& request, absl::Duration timeout,
                  Done<pmu::v1::ProbeClockResponse> done) override {
    Begin(&Stub::PrepareAsyncProbeClock, request, timeout, std::move(done));
  }
  void ListCounters(const pmu::v1::ListCountersRequest& request, absl::Duration timeout,
                    Done<pmu::v1::ListCountersResponse> done) override {
    Begin(&Stub::PrepareAsyncListCounters, request, timeout, std::move(done));
  }
  void StartSession(const pmu::v1::StartSessionRequest& request, absl::Duration timeout,
                    Done<pmu::v1::StartSessionResponse> done) override {
    Begin(&Stub::PrepareAsyncStartSession, request, timeout, std::move(done));
  }
  void Trigger(const pmu::v1::TriggerRequest& request, absl::Duration timeout,
               Done<pmu::v1::TriggerResponse> done) override {
    Begin(&Stub::PrepareAsyncTrigger, request, timeout, std::move(done));
  }
  void Read(const pmu::v1::ReadRequest& request, absl::Duration timeout,
            Done<pmu::v1::ReadResponse> done) override {
    Begin(&Stub::PrepareAsyncRead, request, timeout, std::move(done));
  }
  void Stop(const pmu::v1::StopRequest& request, absl::Duration timeout,
            Done<pmu::v1::StopResponse> done) override {
    Begin(&Stub::PrepareAsyncStop, request, timeout, std::move(done));
  }
  void RenewLease(const pmu::v1::RenewLeaseRequest& request, absl::Duration timeout,
                  Done<pmu::v1::RenewLeaseResponse> done) override {
    Begin(&Stub::PrepareAsyncRenewLease, request, timeout, std::move(done));
  }
  void ListSessions(const pmu::v1::ListSessionsRequest& request, absl::Duration timeout,
                    Done<pmu::v1::ListSessionsResponse> done) override {
    Begin(&Stub::PrepareAsyncListSessions, request, timeout, std::move(done));
  }
  std::unique_ptr<WatchStream> Watch(const pmu::v1::WatchRequest& request,
                                     std::function<void(const pmu::v1::WatchResponse&)> on_message,
                                     std::function<void(const absl::Status&)> on_end) override {
    return BeginWatch(loop_, stub_.get(), errors_, request, std::move(on_message),
                      std::move(on_end));
  }

 private:
  template <class Response>
  using Reader = std::unique_ptr<grpc::ClientAsyncResponseReader<Response>>;

  template <class Response>
  class Call final : public PendingCall {
   public:
    Call(GrpcConnection* owner, absl::Duration timeout, Done<Response> done)
        : owner_(owner), timeout_(timeout), done_(std::move(done)) {}

    void Abandon() override {
      owner_ = nullptr;
      context_.TryCancel();
    }

    void Complete(bool) override {
      if (owner_ == nullptr) return;
      owner_->pending_.erase(this);
      if (status_.ok()) {
        done_(std::move(response_));
      } else {
        done_(ExplainRpcError(FromGrpcStatus(status_), timeout_, owner_->errors_));
      }
    }

   private:
    friend class GrpcConnection;
    GrpcConnection* owner_;
    const absl::Duration timeout_;
    Done<Response> done_;
    grpc::ClientContext context_;
    grpc::Status status_;
    Response response_;
    Reader<Response> reader_;
  };

  template <class Request, class Response>
  void Begin(Reader<Response> (Stub::*prepare)(grpc::ClientContext*, const Request&,
                                               grpc::CompletionQueue*),
             const Request& request, absl::Duration timeout, Done<Response> done) {
    auto* call = new Call<Response>(this, timeout, std::move(done));
    pending_.insert(call);
    call->context_.set_deadline(
        MonotonicTimespec(loop_->NowNs() + absl::ToInt64Nanoseconds(timeout)));
    call->reader_ = ((*stub_).*prepare)(&call->context_, request, loop_->queue());
    call->reader_->StartCall();
    call->reader_->Finish(&call->response_, &call->status_,
                          static_cast<EventLoop::Operation*>(call));
  }

  EventLoop* loop_;
  std::unique_ptr<Stub> stub_;
  const RpcErrorContext errors_;
  std::unordered_set<PendingCall*> pending_;
};

}  // namespace

ConnectionFactory GrpcConnectionFactory(EventLoop* loop, const GrpcConnectionOptions& options) {
  return
      [loop, options](const std::string& host) -> absl::StatusOr<std::unique_ptr<PmuConnection>> {
        absl::StatusOr<std::string> target = HostTarget(host);
        if (!target.ok()) return target.status();
        RpcErrorContext errors;
        errors.target = *target;
        if (options.use_proxy) errors.proxy = ProxyFromEnvironment();
        return std::make_unique<GrpcConnection>(
            loop,
            grpc::CreateCustomChannel(*target, grpc::InsecureChannelCredentials(),
                                      ChannelOptions(options)),
            std::move(errors));
      };
}

}  // namespace pmu::client
