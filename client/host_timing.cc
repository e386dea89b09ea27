#include "client/host_timing.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_format.h"

namespace pmu::client {
namespace {

// As in clock_sync.cc: sums of two times below this cannot overflow.
constexpr int64_t kMaxClockNs = int64_t{1} << 61;
// Beside drift: what scheduling may do to a single probe's time stamps.
constexpr int64_t kJumpSlackNs = 1'000'000;

int64_t DriftNs(int64_t age_ns) { return std::llabs(age_ns) / 1'000'000 * kMaxDriftPpm; }

}  // namespace

absl::optional<MappedTime> MapWindow(const ClockOffset& clock, int64_t begin_ns, int64_t end_ns) {
  if (begin_ns == 0 || end_ns == 0 || begin_ns > end_ns || begin_ns < -kMaxClockNs ||
      end_ns > kMaxClockNs) {
    return absl::nullopt;
  }
  const int64_t half_window_ns = (end_ns - begin_ns) / 2;
  MappedTime moment;
  moment.controller_ns = clock.ToController(begin_ns + half_window_ns);
  moment.error_ns =
      clock.error_ns + half_window_ns + 1 + DriftNs(moment.controller_ns - clock.measured_at_ns);
  return moment;
}

absl::Status CheckClockMoved(const ClockOffset& older, const ClockOffset& newer) {
  const int64_t moved_ns = newer.offset_ns - older.offset_ns;
  const int64_t allowed_ns = older.error_ns + newer.error_ns + kJumpSlackNs +
                             2 * DriftNs(newer.measured_at_ns - older.measured_at_ns);
  if (std::llabs(moved_ns) <= allowed_ns) return absl::OkStatus();
  return absl::AbortedError(absl::StrFormat(
      "the host's clock jumped by %+.6f s during the measurement (suspended, or a virtual machine "
      "moved?): its times and counts cannot be trusted",
      static_cast<double>(moved_ns) / 1e9));
}

absl::optional<StartSkew> ComputeStartSkew(const std::vector<MappedTime>& starts) {
  if (starts.empty()) return absl::nullopt;
  StartSkew result;
  if (starts.size() == 1) return result;
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t first = kMax, last = kMin;            // as estimated
  int64_t first_low = kMax, first_high = kMax;  // bounds of the true first
  int64_t last_low = kMin, last_high = kMin;    // bounds of the true last
  for (const MappedTime& start : starts) {
    first = std::min(first, start.controller_ns);
    last = std::max(last, start.controller_ns);
    first_low = std::min(first_low, start.controller_ns - start.error_ns);
    first_high = std::min(first_high, start.controller_ns + start.error_ns);
    last_low = std::max(last_low, start.controller_ns - start.error_ns);
    last_high = std::max(last_high, start.controller_ns + start.error_ns);
  }
  result.skew_ns = last - first;
  const int64_t at_most = last_high - first_low;
  const int64_t at_least = std::max<int64_t>(last_low - first_high, 0);
  result.error_ns = std::max(at_most - result.skew_ns, result.skew_ns - at_least);
  return result;
}

}  // namespace pmu::client
