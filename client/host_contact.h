// host_contact.h: the first words with a host: who are you, what time is it?
//
// Thread-compatible: used from an event loop's thread.
#ifndef PMU_CLIENT_HOST_CONTACT_H_
#define PMU_CLIENT_HOST_CONTACT_H_

#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection.h"
#include "client/event_loop.h"
#include "proto/pmu/v1/host.pb.h"

namespace pmu::client {

// Connects and asks GetHost. What fails at once (refused, unknown name) is
// tried once more after a moment, since a first failure may be a passing one:
// an agent just starting, a full accept queue. What hangs ends after `timeout`.
// Neither `loop` nor `connection` is owned, both must outlive the call.
void ContactHost(EventLoop* loop, PmuConnection* connection, absl::Duration timeout,
                 const std::function<void(absl::StatusOr<pmu::v1::Host>)>& done);

}  // namespace pmu::client

#endif  // PMU_CLIENT_HOST_CONTACT_H_
