#include "common/counter_math.h"

namespace pmu {

const char* ReadingStateName(ReadingState state) {
  switch (state) {
    case ReadingState::kCounted:
      return "counted";
    case ReadingState::kNotCounted:
      return "not counted";
    case ReadingState::kNotSupported:
      return "not supported";
    case ReadingState::kOverflowSuspected:
      return "overflow suspected";
    case ReadingState::kCpuLost:
      return "CPU lost";
  }
  return "unknown";
}

absl::optional<absl::uint128> ScaleCount(uint64_t raw_count, uint64_t enabled_ns,
                                         uint64_t running_ns) {
  if (running_ns == 0) return absl::nullopt;
  if (running_ns >= enabled_ns) return absl::uint128(raw_count);
  // The product of two 64-bit numbers always fits in 128 bits.
  return absl::uint128(raw_count) * enabled_ns / running_ns;
}

double RunningShare(uint64_t enabled_ns, uint64_t running_ns) {
  if (enabled_ns == 0) return 0;
  if (running_ns >= enabled_ns) return 1;
  return static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
}

}  // namespace pmu
