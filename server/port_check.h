// port_check.h: whether an address is free to listen on.
//
// gRPC alone would not say why an address cannot be bound, would let a second
// agent share a port (SO_REUSEPORT), and would unlink the socket of an agent
// that is alive. So the agent tries each address before gRPC gets it.
#ifndef PMU_SERVER_PORT_CHECK_H_
#define PMU_SERVER_PORT_CHECK_H_

#include "absl/status/status.h"
#include "server/listen_address.h"

namespace pmu::server {

// Binds and listens for a moment. The kernel refuses an address that overlaps
// one somebody listens on, 0.0.0.0 with 127.0.0.1 included (socket(7),
// SO_REUSEADDR). A unix socket that nobody answers on is removed.
// Errors: ALREADY_EXISTS somebody listens there; FAILED_PRECONDITION a file
// that is no socket is in the way; else from errno, naming the address.
absl::Status CheckFree(const Endpoint& endpoint);

}  // namespace pmu::server

#endif  // PMU_SERVER_PORT_CHECK_H_
