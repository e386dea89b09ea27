// rpc_server.h: the agent on the wire.
//
// Serves PmuService, health, reflection and channelz on all given addresses.
// Reflection and channelz only exist in gRPC's synchronous form; they share one
// thread, which sleeps until it is called.
//
// Thread-compatible. Order: Start, Shutdown, destroy.
#ifndef PMU_SERVER_SERVICE_RPC_SERVER_H_
#define PMU_SERVER_SERVICE_RPC_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/agent.h"
#include "server/listen_address.h"

namespace pmu::server {

class RpcServer {
 public:
  // Serves when it returns. Errors: those of ResolveListenAddress and
  // CheckFree; PERMISSION_DENIED an address other machines can reach, without
  // `insecure`. `agent` must outlive it.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(
      Agent* agent, const std::vector<ListenAddress>& addresses, bool insecure);
  ~RpcServer();

  // With the ports that were chosen: "127.0.0.1:40123".
  const std::vector<std::string>& addresses() const { return addresses_; }
  // The port of the first TCP address; 0: there is none.
  int port() const { return port_; }

  // Health says NOT_SERVING, the agent is shut down, which answers waiting
  // calls with UNAVAILABLE, and after at most a second what is left is cut
  // off. Idempotent.
  void Shutdown();

 private:
  struct Wire;  // everything of gRPC's

  explicit RpcServer(Agent* agent);

  Agent* const agent_;
  std::unique_ptr<Wire> wire_;
  std::vector<std::string> addresses_;
  int port_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_RPC_SERVER_H_
