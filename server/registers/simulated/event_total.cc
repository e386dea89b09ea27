#include "server/registers/simulated/event_total.h"

#include "absl/numeric/int128.h"

namespace pmu::server {
namespace {

constexpr int64_t kSliceNs = 100'000'000;
constexpr int kHalfPeriodSlices = 32;
constexpr int64_t kPeriodNs = 2 * kHalfPeriodSlices * kSliceNs;
constexpr int64_t kUnitWeight = 1'000'000;

// The mixing steps of splitmix64 (Steele, Lea, Flood 2014).
uint64_t Mix(uint64_t word) {
  word += 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

// The second half of the period mirrors the first, which makes the mean exact.
int64_t SliceWeight(const EventPattern& pattern, uint64_t key, int slice) {
  if (slice >= kHalfPeriodSlices) {
    return 2 * kUnitWeight - SliceWeight(pattern, key, slice - kHalfPeriodSlices);
  }
  const int64_t span = int64_t{pattern.jitter_percent} * (kUnitWeight / 100);
  const uint64_t draw = SeededNumber(pattern.seed, key * 64 + slice + 1, 0, 2 * span);
  return kUnitWeight - span + static_cast<int64_t>(draw);
}

// W(t), in millionths of nanoseconds.
absl::uint128 WeightUpTo(const EventPattern& pattern, uint64_t key, int64_t elapsed_ns) {
  if (pattern.jitter_percent == 0) return absl::uint128(elapsed_ns) * kUnitWeight;
  int64_t rest_ns = elapsed_ns % kPeriodNs;
  absl::uint128 weight = absl::uint128(elapsed_ns - rest_ns) * kUnitWeight;
  for (int slice = 0; rest_ns > 0; ++slice, rest_ns -= kSliceNs) {
    weight += absl::uint128(rest_ns < kSliceNs ? rest_ns : kSliceNs) *
              static_cast<uint64_t>(SliceWeight(pattern, key, slice));
  }
  return weight;
}

}  // namespace

uint64_t SeededNumber(uint64_t seed, uint64_t key, uint64_t low, uint64_t high) {
  return low + Mix(Mix(seed) ^ key) % (high - low + 1);
}

uint64_t EventTotal(const EventPattern& pattern, uint64_t key, uint64_t rate_hz,
                    int64_t elapsed_ns) {
  if (elapsed_ns <= 0) return 0;
  // rate < 2^40 and W < 2^83, so the product fits.
  return absl::Uint128Low64(WeightUpTo(pattern, key, elapsed_ns) * rate_hz /
                            (absl::uint128(1'000'000'000) * kUnitWeight));
}

}  // namespace pmu::server
