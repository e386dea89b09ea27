#include "server/backends/perf_event/cpu_presence.h"

namespace pmu::server {
namespace {

// Covers coarse scheduler clocks and slewing of CLOCK_MONOTONIC.
constexpr int64_t kSlackNs = 20'000'000;
constexpr int64_t kSlackShare = 64;

constexpr int64_t kMarkEveryNs = 1'000'000'000;

}  // namespace

bool CpuPresence::WentAway(int64_t now_ns, uint64_t enabled_ns) const {
  if (!marked_) return false;
  const int64_t expected_ns = now_ns - mark_ns_;
  const int64_t passed_ns = static_cast<int64_t>(enabled_ns) - mark_enabled_ns_;
  return passed_ns + kSlackNs + expected_ns / kSlackShare < expected_ns;
}

bool CpuPresence::WantsMark(int64_t now_ns) const {
  return marked_ && now_ns - mark_ns_ >= kMarkEveryNs;
}

}  // namespace pmu::server
