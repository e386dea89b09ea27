#include "client/counter_sum.h"

#include <algorithm>
#include <cmath>

namespace pmu::client {
namespace {

bool HasNumber(ReadingState state) {
  return state == ReadingState::kCounted || state == ReadingState::kOverflowSuspected ||
         state == ReadingState::kCpuLost;
}

int Doubt(ReadingState state) {
  switch (state) {
    case ReadingState::kOverflowSuspected:
      return 2;
    case ReadingState::kCpuLost:
      return 1;
    default:
      return 0;
  }
}

const char kNeverScheduled[] = "never scheduled on the hardware";

}  // namespace

ReadingState WorseState(ReadingState a, ReadingState b) { return Doubt(a) >= Doubt(b) ? a : b; }

bool HasUsableScale(const pmu::v1::ResolvedEvent& event) {
  return std::isfinite(event.scale()) && event.scale() > 0;
}

double UsableScale(const pmu::v1::ResolvedEvent& event) {
  return HasUsableScale(event) ? event.scale() : 1;
}

const std::string& UsableUnit(const pmu::v1::ResolvedEvent& event) {
  static const std::string no_unit;
  return HasUsableScale(event) ? event.unit() : no_unit;
}

void CounterSum::Add(const pmu::v1::ResolvedEvent& event, const CounterReading& reading) {
  const RawReading& raw = reading.reading;
  if (!event.supported()) {
    AddMissing(ReadingState::kNotSupported, event.reason());
    return;
  }
  if (!HasNumber(raw.state)) {
    const bool never_ran = raw.state == ReadingState::kNotCounted && raw.enabled_ns != 0;
    AddMissing(raw.state, reading.error.empty() && never_ran ? kNeverScheduled : reading.error);
    return;
  }
  absl::optional<absl::uint128> count;
  if (event.placement_bound()) {
    // Running less than enabled is where the task was, not multiplexing.
    if (raw.running_ns != 0) count = raw.raw_count;
  } else {
    count = ScaleCount(raw.raw_count, raw.enabled_ns, raw.running_ns);
  }
  if (count.has_value()) {
    AddNumber(event, reading, *count);
  } else {
    AddMissing(ReadingState::kNotCounted, kNeverScheduled);
  }
}

void CounterSum::AddNumber(const pmu::v1::ResolvedEvent& event, const CounterReading& reading,
                           absl::uint128 count) {
  const double scale = UsableScale(event);
  if (contributing_ == 0) {
    scale_ = scale;
    unit_ = UsableUnit(event);
    best_ = reading.reading.state;
  }
  same_scale_ &= scale == scale_;
  same_unit_ &= UsableUnit(event) == unit_;
  gauge_ |= event.kind() == pmu::v1::COUNTER_KIND_GAUGE;
  best_ = WorseState(best_, reading.reading.state);
  count_ += count;
  value_ += static_cast<double>(count) * scale;
  if (event.placement_bound()) {
    running_ns_ += reading.reading.running_ns;
    enabled_ns_ += reading.reading.running_ns;
  } else {
    running_ns_ += std::min(reading.reading.running_ns, reading.reading.enabled_ns);
    enabled_ns_ += reading.reading.enabled_ns;
  }
  ++contributing_;
  ++expected_;
}

void CounterSum::AddMissing(ReadingState state, const std::string& reason) {
  ++expected_;
  if (missing_) return;
  missing_ = true;
  missing_state_ = state;
  missing_reason_ = reason;
}

Value CounterSum::Total() const {
  Value total;
  total.contributing = contributing_;
  total.expected = expected_;
  if (contributing_ == 0) {
    total.state = missing_ ? missing_state_ : ReadingState::kNotCounted;
    total.reason = missing_ ? missing_reason_ : idle_reason_;
    return total;
  }
  if (!same_unit_) {
    total.reason = "counters have different units and cannot be added";
    return total;
  }
  // One product for all rounds once; with different scales each was rounded.
  const double value = same_scale_ ? static_cast<double>(count_) * scale_ : value_;
  if (!std::isfinite(value)) {
    total.reason = "value is too large for its unit's scale";
    return total;
  }
  total.state = best_;
  if (same_scale_) total.count = count_;
  total.value = value;
  if (!gauge_ && measured_ns_ > 0) {
    const double rate = value / (static_cast<double>(measured_ns_) / 1e9);
    if (std::isfinite(rate)) total.rate_per_s = rate;
  }
  total.running_share =
      enabled_ns_ == 0 ? 1 : static_cast<double>(running_ns_) / static_cast<double>(enabled_ns_);
  return total;
}

}  // namespace pmu::client
