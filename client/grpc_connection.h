// grpc_connection.h: a PmuConnection over a gRPC channel.
//
// Each connection has its own channel and its own TCP connection, made with the
// first call. A refused connection fails calls at once; one that does not
// answer ends at the call's time limit. After a loss the channel reconnects by
// itself when the next call comes (100 ms to 1 s apart).
#ifndef PMU_CLIENT_GRPC_CONNECTION_H_
#define PMU_CLIENT_GRPC_CONNECTION_H_

#include "absl/time/time.h"
#include "client/connection.h"
#include "client/event_loop.h"

namespace pmu::client {

struct GrpcConnectionOptions {
  // Obey http_proxy and its kin.
  bool use_proxy = false;
  // One attempt to connect is given up after this long and tried again.
  absl::Duration connect_timeout = absl::Seconds(5);
};

// Connections that run in `loop`, which must outlive them.
ConnectionFactory GrpcConnectionFactory(EventLoop* loop, const GrpcConnectionOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_GRPC_CONNECTION_H_
