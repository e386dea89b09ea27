// host_timing.h: moments of a host on the controller's clock, with their error.
//
// Pure functions, safe to call from any thread. Times from hosts may be
// anything an int64 holds; nothing here overflows.
#ifndef PMU_CLIENT_HOST_TIMING_H_
#define PMU_CLIENT_HOST_TIMING_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "client/clock_sync.h"
#include "client/result.h"

namespace pmu::client {

// Two monotonic clocks that NTP keeps drift apart by at most this: it slews by
// up to 500 ppm (adjtimex(2)). Added to an offset's error for its age.
inline constexpr int64_t kMaxDriftPpm = 500;

// The middle of [begin, end] of the host's clock on ours. The error holds half
// the window, the offset's error and its age. nullopt for times that no clock
// shows (0, negative windows).
absl::optional<MappedTime> MapWindow(const ClockOffset& clock, int64_t begin_ns, int64_t end_ns);

// ABORTED when the host's clock moved between two estimates in a way that
// drift does not explain: the machine was suspended, or its clock jumped.
absl::Status CheckClockMoved(const ClockOffset& older, const ClockOffset& newer);

struct StartSkew {
  int64_t skew_ns = 0;   // largest minus smallest
  int64_t error_ns = 0;  // the true figure lies within +- this
};

// Over the moments at which hosts started; nullopt for none.
absl::optional<StartSkew> ComputeStartSkew(const std::vector<MappedTime>& starts);

}  // namespace pmu::client

#endif  // PMU_CLIENT_HOST_TIMING_H_
