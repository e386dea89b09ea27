#include "server/service/rpc_server.h"

#include <grpc/grpc.h>
#include <grpcpp/ext/channelz_service_plugin.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <chrono>
#include <climits>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/port_check.h"
#include "server/service/call_queue.h"
#include "server/service/health_methods.h"
#include "server/service/pmu_methods.h"

namespace pmu::server {
namespace {

constexpr int kMaxRequestBytes = 1024 * 1024;
// Calls under way on one connection.
constexpr int kMaxStreams = 256;
// Threads for reflection and channelz.
constexpr int kMaxSyncThreads = 4;
constexpr auto kShutdownGrace = std::chrono::milliseconds(500);

// Clients ping through silent sessions of half an hour and must not be refused
// as "too many pings"; and a client that is gone without a word (its cable was
// pulled) is found by our own pings, as long as a call of its waits.
void SetKeepalive(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
}

void Configure(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreams);
  // Requests are small: no pings to find out how much of them fits a network.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder->SetMaxReceiveMessageSize(kMaxRequestBytes);
  SetKeepalive(builder);
  builder->SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::CQ_TIMEOUT_MSEC, INT_MAX);
  builder->SetResourceQuota(grpc::ResourceQuota("pmud").SetMaxThreads(kMaxSyncThreads));
}

// Reflection and channelz add themselves to every server built from now on.
void InstallPlugins() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::channelz::experimental::InitChannelzService();
  });
}

int PortOf(const Endpoint& endpoint) {
  if (endpoint.address.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&endpoint.address)->sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&endpoint.address)->sin6_port);
}

void SetPort(int port, Endpoint* endpoint) {
  if (endpoint->address.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(&endpoint->address)->sin_port = htons(port);
  } else if (endpoint->address.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&endpoint->address)->sin6_port = htons(port);
  }
}

absl::StatusOr<std::vector<Endpoint>> CheckedEndpoints(const std::vector<ListenAddress>& addresses,
                                                       bool insecure) {
  std::vector<Endpoint> endpoints;
  for (const ListenAddress& address : addresses) {
    absl::StatusOr<std::vector<Endpoint>> resolved = ResolveListenAddress(address);
    if (!resolved.ok()) return resolved.status();
    for (const Endpoint& endpoint : *resolved) {
      if (!endpoint.loopback && !insecure) {
        return absl::PermissionDeniedError(absl::StrCat(
            "--listen=", address.text,
            ": other machines can reach this address and nothing is encrypted or authenticated; "
            "add --insecure if the network is trusted, or listen on 127.0.0.1 or unix:PATH"));
      }
      const absl::Status status = CheckFree(endpoint);
      if (!status.ok()) return status;
      endpoints.push_back(endpoint);
    }
  }
  return endpoints;
}

}  // namespace

struct RpcServer::Wire {
  explicit Wire(Agent* agent) : queue(&builder), methods(agent, &queue), health(&queue) {}

  grpc::ServerBuilder builder;
  CallQueue queue;
  PmuMethods methods;
  HealthMethods health;
  std::unique_ptr<grpc::Server> server;
};

RpcServer::RpcServer(Agent* agent) : agent_(agent) {}

RpcServer::~RpcServer() { Shutdown(); }

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(
    Agent* agent, const std::vector<ListenAddress>& addresses, bool insecure) {
  absl::StatusOr<std::vector<Endpoint>> endpoints = CheckedEndpoints(addresses, insecure);
  if (!endpoints.ok()) return endpoints.status();
  InstallPlugins();
  auto rpc_server = std::unique_ptr<RpcServer>(new RpcServer(agent));
  auto wire = std::make_unique<Wire>(agent);
  Configure(&wire->builder);
  wire->builder.RegisterService(wire->methods.service());
  wire->builder.RegisterService(wire->health.service());
  std::vector<int> ports(endpoints->size(), 0);
  for (size_t i = 0; i < endpoints->size(); ++i) {
    wire->builder.AddListeningPort(EndpointText((*endpoints)[i]), grpc::InsecureServerCredentials(),
                                   &ports[i]);
  }
  const mode_t old_mask = umask(0117);  // unix sockets: mode 0660 from the start
  wire->server = wire->builder.BuildAndStart();
  umask(old_mask);
  if (wire->server == nullptr) {
    return absl::UnavailableError(
        "gRPC cannot listen on an address of --listen; its own message is above");
  }
  for (size_t i = 0; i < endpoints->size(); ++i) {
    Endpoint& endpoint = (*endpoints)[i];
    if (endpoint.unix_path.empty()) {
      SetPort(ports[i], &endpoint);
      if (rpc_server->port_ == 0) rpc_server->port_ = PortOf(endpoint);
    }
    rpc_server->addresses_.push_back(EndpointText(endpoint));
  }
  wire->methods.Listen();
  wire->health.Listen();
  wire->queue.Run();
  rpc_server->wire_ = std::move(wire);
  return rpc_server;
}

void RpcServer::Shutdown() {
  if (wire_ == nullptr) return;
  wire_->health.StopServing();
  agent_->Shutdown();
  wire_->server->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
  wire_->queue.Close();
  wire_->server.reset();
  wire_.reset();
}

}  // namespace pmu::server
