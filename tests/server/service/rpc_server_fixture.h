// rpc_server_fixture.h: an agent with a backend without hardware, behind a real
// socket, and a client of it. Tests only.
#ifndef PMU_TESTS_SERVER_SERVICE_RPC_SERVER_FIXTURE_H_
#define PMU_TESTS_SERVER_SERVICE_RPC_SERVER_FIXTURE_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "proto/pmu/v1/service.grpc.pb.h"
#include "server/agent.h"
#include "server/listen_address.h"
#include "server/service/rpc_server.h"
#include "tests/fakes/fake_backend.h"

namespace pmu::server {

class RpcServerTest : public ::testing::Test {
 protected:
  void SetUp() override { Serve({"127.0.0.1:0"}); }

  // An agent with two events; `backend_` is its backend.
  void Serve(const std::vector<std::string>& addresses) {
    auto backend = std::make_unique<FakeBackend>();
    backend_ = backend.get();
    backend_->AddEvent("cycles");
    backend_->AddBroken("mem-loads", absl::UnimplementedError("no PEBS here"));
    std::vector<std::unique_ptr<CounterBackend>> backends;
    backends.push_back(std::move(backend));
    server_.reset();
    AgentOptions options;
    options.instance = "instance";
    agent_ = Agent::Create(options, std::move(backends)).value();
    std::vector<ListenAddress> listen;
    for (const std::string& text : addresses) listen.push_back(ParseListenAddress(text).value());
    absl::StatusOr<std::unique_ptr<RpcServer>> server =
        RpcServer::Start(agent_.get(), listen, false);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    Connect(server_->addresses().front());
  }

  void Connect(const std::string& address) {
    channel_ = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
    stub_ = pmu::v1::PmuService::NewStub(channel_);
  }

  // One call; on an error `response` stays as it is.
  template <class Method, class Request, class Response>
  grpc::Status Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return (stub_.get()->*method)(&context, request, response);
  }

  pmu::v1::StartSessionResponse Start(const std::string& events, bool start_now = false) {
    pmu::v1::StartSessionRequest request;
    request.mutable_spec()->set_events(events);
    request.mutable_spec()->set_client_id("test");
    request.set_start_now(start_now);
    pmu::v1::StartSessionResponse response;
    const grpc::Status status = Call(&pmu::v1::PmuService::Stub::StartSession, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  grpc::Status StopAt(const std::string& id, int64_t at_ns, pmu::v1::StopResponse* response) {
    pmu::v1::StopRequest request;
    request.set_session_id(id);
    request.set_stop_at_ns(at_ns);
    return Call(&pmu::v1::PmuService::Stub::Stop, request, response);
  }

  FakeBackend* backend_ = nullptr;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<RpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pmu::v1::PmuService::Stub> stub_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_SERVICE_RPC_SERVER_FIXTURE_H_
