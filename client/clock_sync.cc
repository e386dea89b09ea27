#include "client/clock_sync.h"

namespace pmu::client {
namespace {

// Times from the wire beyond this (73 years) are no clock; within it, sums and
// differences of two times cannot overflow.
constexpr int64_t kMaxClockNs = int64_t{1} << 61;

bool IsPossible(int64_t ns) { return ns > -kMaxClockNs && ns < kMaxClockNs; }

}  // namespace

void ClockEstimator::Add(const ClockProbe& probe) {
  if (!IsPossible(probe.host_receive_ns) || !IsPossible(probe.host_send_ns)) return;
  const int64_t away_ns = probe.received_ns - probe.sent_ns;
  const int64_t at_host_ns = probe.host_send_ns - probe.host_receive_ns;
  if (at_host_ns < 0 || at_host_ns > away_ns) return;
  const int64_t round_trip_ns = away_ns - at_host_ns;
  // Half, rounded up: the bound holds to the nanosecond.
  const int64_t error_ns = round_trip_ns - round_trip_ns / 2;
  if (best_.has_value() && best_->error_ns <= error_ns) return;
  // The true offset lies between (host_receive - sent) - round trip and
  // (host_receive - sent): when all of it was spent on one leg.
  ClockOffset offset;
  offset.offset_ns = probe.host_receive_ns - probe.sent_ns - round_trip_ns / 2;
  offset.error_ns = error_ns;
  offset.measured_at_ns = probe.sent_ns + away_ns / 2;
  best_ = offset;
}

}  // namespace pmu::client
