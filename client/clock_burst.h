// clock_burst.h: estimates one host's clock over a connection.
//
// Sends probes one after the other, so that none waits behind another, until
// the fastest is no longer beaten, and hands its estimate to `done`.
// Thread-compatible: used from an event loop's thread.
#ifndef PMU_CLIENT_CLOCK_BURST_H_
#define PMU_CLIENT_CLOCK_BURST_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/admission.h"
#include "client/clock_sync.h"
#include "client/connection.h"
#include "common/clock.h"

namespace pmu::client {

struct ClockBurst {
  ClockOffset offset;
  // Of the exchanges that were answered, from call to answer.
  absl::Duration fastest;
  absl::Duration slowest;
  absl::Duration send_work;  // time on a CPU to send one probe
};

// Lets as many hosts burst at once as do not spoil each other's round trips:
// one thread sends and receives for all of them, so on a fast network an answer
// soon waits for its turn. That wait is taken off again, so that a queue of our
// own making never looks like a slow network. Thread-compatible.
class ClockBurstGate {
 public:
  ClockBurstGate() : admission_(kFirstLimit) {}

  void Enter(std::function<void()> work) { admission_.Enter(std::move(work)); }
  // Exactly once for each that entered.
  void Leave() { admission_.Leave(); }
  // What a burst found, before it leaves; the slower the network, the more fit
  // beside each other.
  void Learn(const ClockBurst& burst);

  size_t inside() const { return admission_.inside(); }

 private:
  static constexpr size_t kFirstLimit = 4;
  Admission admission_;
  absl::Duration work_;  // per probe, smoothed
};

// Sends at most `probes`. Runs `done` once. Some lost probes are no failure; the first error is
// returned when none was answered (INTERNAL when the answers were impossible).
// Neither `connection` nor `clock` is owned; destroying the connection ends the
// burst without `done`.
void RunClockBurst(PmuConnection* connection, const Clock& clock, int probes,
                   absl::Duration timeout, std::function<void(absl::StatusOr<ClockBurst>)> done);

}  // namespace pmu::client

#endif  // PMU_CLIENT_CLOCK_BURST_H_
