// clock_sync.h: the offset between a host's monotonic clock and ours.
//
// Of a burst of four-time-stamp exchanges the one with the shortest round trip
// is kept (Cristian's algorithm, as NTP's clock filter uses it: RFC 5905,
// section 10). The true offset lies within half that round trip, whatever the
// path's asymmetry. Pure; safe from any thread.
#ifndef PMU_CLIENT_CLOCK_SYNC_H_
#define PMU_CLIENT_CLOCK_SYNC_H_

#include <cstdint>

#include "absl/types/optional.h"

namespace pmu::client {

// One exchange; our clock for sent and received, the host's for the others.
struct ClockProbe {
  int64_t sent_ns = 0;
  int64_t host_receive_ns = 0;
  int64_t host_send_ns = 0;
  int64_t received_ns = 0;
};

struct ClockOffset {
  int64_t offset_ns = 0;       // host clock minus ours
  int64_t error_ns = 0;        // the true offset lies within +- this
  int64_t measured_at_ns = 0;  // our clock

  int64_t ToHost(int64_t controller_ns) const { return controller_ns + offset_ns; }
  int64_t ToController(int64_t host_ns) const { return host_ns - offset_ns; }
};

// Collects a burst. Thread-compatible.
class ClockEstimator {
 public:
  // Impossible probes (negative round trip) are dropped.
  void Add(const ClockProbe& probe);

  // Of the probe with the shortest round trip; nullopt before the first.
  const absl::optional<ClockOffset>& best() const { return best_; }

 private:
  absl::optional<ClockOffset> best_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_CLOCK_SYNC_H_
