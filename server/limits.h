// limits.h: what the agent allows its clients.
#ifndef PMU_SERVER_LIMITS_H_
#define PMU_SERVER_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "common/event_spec.h"

namespace pmu::server {

struct Limits {
  // Sessions that are armed or running.
  int max_sessions = 64;
  // Events as asked for.
  int max_events_per_session = static_cast<int>(kMaxEvents);
  // Open counters over all sessions.
  int max_descriptors = 1024;
  int64_t max_lease_ns = 3600LL * 1'000'000'000;
  // Sessions kept after their end; beyond it the oldest goes early.
  size_t max_ended_sessions = 128;
  // Between two interval samples.
  int64_t min_interval_ns = 1'000'000;
  // For the interval samples of one session, and of all.
  size_t max_ring_bytes = 16 * 1024 * 1024;
  size_t max_all_rings_bytes = 128 * 1024 * 1024;
};

inline constexpr int64_t kDefaultLeaseNs = 30LL * 1'000'000'000;
// How far ahead a start may be planned.
inline constexpr int64_t kMaxStartAheadNs = 3600LL * 1'000'000'000;
// How long a session that has ended can still be asked for.
inline constexpr int64_t kKeepEndedNs = 60LL * 1'000'000'000;
// Events resolved for one session, over all PMUs ("uncore_imc" is several).
inline constexpr size_t kMaxResolvedEvents = 16 * 1024;
// The longest interval between two samples.
inline constexpr int64_t kMaxIntervalNs = 3600LL * 1'000'000'000;
// What a ring holds when the client does not say, and at the least.
inline constexpr int64_t kRingNs = 60LL * 1'000'000'000;
inline constexpr size_t kMinRingSamples = 16;
// Calls that watch one session.
inline constexpr size_t kMaxWatchers = 16;
// How long a watcher may let the agent hold samples back.
inline constexpr int64_t kMaxWatchDelayNs = 60LL * 1'000'000'000;
// Stop calls that wait for one session's planned stop.
inline constexpr size_t kMaxStopWaiters = 16;

inline constexpr size_t kMaxClientIdBytes = 256;
inline constexpr size_t kMaxIdempotencyKeyBytes = 128;
inline constexpr size_t kMaxLabels = 16;
inline constexpr size_t kMaxLabelBytes = 256;
inline constexpr size_t kMaxCpuListBytes = 64 * 1024;
inline constexpr size_t kMaxCgroupBytes = 4096;

}  // namespace pmu::server

#endif  // PMU_SERVER_LIMITS_H_
