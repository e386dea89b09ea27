// connection.h: the calls of PmuService to one host, asynchronously.
//
// The seam between what the client does and how it talks: GrpcConnection does
// it over the network, tests may script it. Every call takes a time limit and
// ends by running `done` exactly once from the event loop, never from within
// the call; destroying the connection drops what is under way without running
// `done`. `done` may destroy the connection.
// Errors: what the agent answered, or, when there was no answer, one line for
//   people: UNAVAILABLE (refused, name not found, connection lost),
//   DEADLINE_EXCEEDED (no answer in time), UNIMPLEMENTED (not a pmud).
// Thread-compatible: used from the thread that drives the event loop.
#ifndef PMU_CLIENT_CONNECTION_H_
#define PMU_CLIENT_CONNECTION_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/pmu/v1/service.pb.h"

namespace pmu::client {

// A stream under way; destroying it cancels it, and nothing is called any more.
class WatchStream {
 public:
  virtual ~WatchStream() = default;
};

class PmuConnection {
 public:
  template <class Response>
  using Done = std::function<void(absl::StatusOr<Response>)>;

  virtual ~PmuConnection() = default;

  virtual void GetHost(const pmu::v1::GetHostRequest& request, absl::Duration timeout,
                       Done<pmu::v1::GetHostResponse> done) = 0;
  virtual void ProbeClock(const pmu::v1::ProbeClockRequest& request, absl::Duration timeout,
                          Done<pmu::v1::ProbeClockResponse> done) = 0;
  virtual void ListCounters(const pmu::v1::ListCountersRequest& request, absl::Duration timeout,
                            Done<pmu::v1::ListCountersResponse> done) = 0;
  virtual void StartSession(const pmu::v1::StartSessionRequest& request, absl::Duration timeout,
                            Done<pmu::v1::StartSessionResponse> done) = 0;
  virtual void Trigger(const pmu::v1::TriggerRequest& request, absl::Duration timeout,
                       Done<pmu::v1::TriggerResponse> done) = 0;
  virtual void Read(const pmu::v1::ReadRequest& request, absl::Duration timeout,
                    Done<pmu::v1::ReadResponse> done) = 0;
  virtual void Stop(const pmu::v1::StopRequest& request, absl::Duration timeout,
                    Done<pmu::v1::StopResponse> done) = 0;
  virtual void RenewLease(const pmu::v1::RenewLeaseRequest& request, absl::Duration timeout,
                          Done<pmu::v1::RenewLeaseResponse> done) = 0;

  virtual void ListSessions(const pmu::v1::ListSessionsRequest& request, absl::Duration timeout,
                            Done<pmu::v1::ListSessionsResponse> done) = 0;

  // Without a time limit: a peer that is gone is found by keepalive. `on_end`
  // runs once, after the last message, with how the stream ended; it may
  // destroy the stream. The connection must outlive the stream.
  virtual std::unique_ptr<WatchStream> Watch(
      const pmu::v1::WatchRequest& request,
      std::function<void(const pmu::v1::WatchResponse&)> on_message,
      std::function<void(const absl::Status&)> on_end) = 0;
};

// Makes the connection to one host, as the user wrote it. INVALID_ARGUMENT: no
// valid host name. Connects only with the first call.
using ConnectionFactory =
    std::function<absl::StatusOr<std::unique_ptr<PmuConnection>>(const std::string& host)>;

}  // namespace pmu::client

#endif  // PMU_CLIENT_CONNECTION_H_
