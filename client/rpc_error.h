// rpc_error.h: gRPC's prose about a failed call as one clear line.
//
// gRPC 1.51 writes "failed to connect to all addresses; last error: UNKNOWN:
// ipv4:127.0.0.1:1: Failed to connect to remote host: Connection refused";
// people need "connection refused (is pmud running on 127.0.0.1:1?)".
// Pure but for reading the environment; safe from any thread.
#ifndef PMU_CLIENT_RPC_ERROR_H_
#define PMU_CLIENT_RPC_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace pmu::client {

struct RpcErrorContext {
  std::string target;  // as given to gRPC: "ipv4:10.0.0.1:50051"
  std::string proxy;   // how calls go there, ProxyFromEnvironment; or empty
};

// What gRPC made of a failed call, in one line; the code stays. Errors that the
// agent itself answered pass through as they are.
absl::Status ExplainRpcError(const absl::Status& status, absl::Duration timeout,
                             const RpcErrorContext& context);

// True when trying again may help: nothing there (yet), or no answer.
bool IsConnectionError(const absl::Status& status);

// "http://proxy:3128 (from http_proxy)", or "" when none is set. Which
// variable counts is gRPC's order: grpc_proxy, https_proxy, http_proxy.
std::string ProxyFromEnvironment();

// "ipv4:10.0.0.1:50051" -> "10.0.0.1:50051"; for messages.
absl::string_view TargetForPeople(absl::string_view target);

}  // namespace pmu::client

#endif  // PMU_CLIENT_RPC_ERROR_H_
