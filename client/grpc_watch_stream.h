// grpc_watch_stream.h: rpc Watch on the event loop.
//
// Thread-compatible: used from the loop's thread.
#ifndef PMU_CLIENT_GRPC_WATCH_STREAM_H_
#define PMU_CLIENT_GRPC_WATCH_STREAM_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "client/connection.h"
#include "client/event_loop.h"
#include "client/rpc_error.h"
#include "proto/pmu/v1/service.grpc.pb.h"

namespace pmu::client {

// See PmuConnection::Watch. `loop` must outlive the stream.
std::unique_ptr<WatchStream> BeginWatch(
    EventLoop* loop, pmu::v1::PmuService::Stub* stub, const RpcErrorContext& errors,
    const pmu::v1::WatchRequest& request,
    std::function<void(const pmu::v1::WatchResponse&)> on_message,
    std::function<void(const absl::Status&)> on_end);

}  // namespace pmu::client

#endif  // PMU_CLIENT_GRPC_WATCH_STREAM_H_
