// listen_address.h: where the agent listens, from --listen.
//
//   127.0.0.1:50051   [::1]:50051   localhost:50051   host only: port 50051
//   0.0.0.0:50051     unix:/run/pmud.sock
//
// Pure functions but for name look-up; safe to call from any thread.
#ifndef PMU_SERVER_LISTEN_ADDRESS_H_
#define PMU_SERVER_LISTEN_ADDRESS_H_

#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// As written, without look-ups.
struct ListenAddress {
  std::string text;  // as written
  std::string host;  // without brackets; "" for a unix socket
  int port = 0;      // 0: any that is free
  std::string unix_path;
};

// INVALID_ARGUMENT names what is wrong and what is accepted.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// One socket address to bind.
struct Endpoint {
  sockaddr_storage address = {};
  socklen_t address_bytes = 0;
  bool loopback = false;  // unix sockets count as loopback
  std::string unix_path;  // empty: TCP
};

// "127.0.0.1:50051", "[::1]:50051", "unix:/run/pmud.sock".
std::string EndpointText(const Endpoint& endpoint);

// Looks a host name up; "localhost" may be two. UNAVAILABLE: the name is not
// known; INVALID_ARGUMENT: the path of a unix socket is too long.
absl::StatusOr<std::vector<Endpoint>> ResolveListenAddress(const ListenAddress& address);

}  // namespace pmu::server

#endif  // PMU_SERVER_LISTEN_ADDRESS_H_
