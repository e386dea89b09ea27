// clock_burst.h: estimates one host's clock over a connection.
//
// Sends a fixed number of probes one after the other, so that none waits
// behind another, and hands the estimate of the fastest to `done`.
// Thread-compatible: used from an event loop's thread.
#ifndef PMU_CLIENT_CLOCK_BURST_H_
#define PMU_CLIENT_CLOCK_BURST_H_

#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/clock_sync.h"
#include "client/connection.h"
#include "common/clock.h"

namespace pmu::client {

struct ClockBurst {
  ClockOffset offset;
  // Of the exchanges that were answered, from call to answer.
  absl::Duration fastest;
  absl::Duration slowest;
};

// Runs `done` once. Some lost probes are no failure; the first error is
// returned when none was answered (INTERNAL when the answers were impossible).
// Neither `connection` nor `clock` is owned; destroying the connection ends the
// burst without `done`.
void RunClockBurst(PmuConnection* connection, const Clock& clock, int probes,
                   absl::Duration timeout, std::function<void(absl::StatusOr<ClockBurst>)> done);

}  // namespace pmu::client

#endif  // PMU_CLIENT_CLOCK_BURST_H_
