#include "server/registers/simulated/simulated_cci400.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::server {
namespace {

constexpr uint32_t kPmcr = 0x0100;
constexpr uint32_t kPeripheralId2 = 0x0fe8;
constexpr uint32_t kFirstFrame = 0x9000;  // The cycle counter's.
constexpr uint32_t kFrameBytes = 0x1000;

constexpr uint32_t kCen = 1 << 0;
constexpr uint32_t kRst = 1 << 1;
constexpr uint32_t kCcr = 1 << 2;
constexpr uint32_t kCcd = 1 << 3;
constexpr uint32_t kEx = 1 << 4;
constexpr uint32_t kDp = 1 << 5;
constexpr uint32_t kCounterNumber = 4 << 11;

// Key of the clock's own pattern; event selects have 8 bits.
constexpr uint64_t kCyclesKey = 0x100;
// Shareable reads, and their data that came from a snoop: the second cannot
// happen more often than the first.
constexpr uint32_t kShareableRead = 0x03;
constexpr uint32_t kSnoopHit = 0x0a;

EventPattern PatternOf(const SimulationSpec& spec) {
  return {spec.seed.value_or(1), static_cast<int>(spec.jitter_percent.value_or(0))};
}

bool Concerns(const std::vector<RegisterFault>& faults, uint32_t offset) {
  for (const RegisterFault& fault : faults) {
    if (fault.address == offset) return true;
  }
  return false;
}

}  // namespace

SimulatedCci400::SimulatedCci400(SimulationSpec spec, const Clock* clock)
    : spec_(std::move(spec)),
      clock_(clock),
      pattern_(PatternOf(spec_)),
      power_on_ns_(clock->MonotonicNs()),
      niden_(spec_.niden.value_or(1) != 0) {
  absl::MutexLock lock(&mutex_);
  for (Counter& counter : counters_) counter.count = spec_.start.value_or(0);
  for (const auto& [offset, contents] : spec_.preset) WriteRegister(offset, contents);
}

std::string SimulatedCci400::Description() const { return absl::StrCat("simulated ", spec_.name); }

void SimulatedCci400::SetNiden(bool high) {
  absl::MutexLock lock(&mutex_);
  Advance();
  niden_ = high;
}

uint64_t SimulatedCci400::CyclesRateHz() const { return spec_.cycles_hz.value_or(500'000'000); }

uint64_t SimulatedCci400::EventRateHz(uint32_t select) const {
  select &= 0xff;
  const auto named = spec_.event_hz.find(select);
  if (named != spec_.event_hz.end()) return named->second;
  const bool is_master = (select >> 5) >= 5;
  const uint32_t code = select & 0x1f;
  const bool is_r0 = spec_.model == SimulationModel::kCci400R0;
  const bool exists = is_master ? (is_r0 ? code >= 0x14 && code <= 0x1a : code <= 0x11)
                                : code <= (is_r0 ? 0x13u : 0x14u);
  if (!exists) return 0;
  if (spec_.rate_hz.has_value()) return *spec_.rate_hz;
  const uint64_t cycles_hz = CyclesRateHz();
  if (!is_master && code == kSnoopHit) {
    const uint64_t reads_hz = EventRateHz((select & 0xe0) | kShareableRead);
    return reads_hz * SeededNumber(pattern_.seed, select, 20, 90) / 100;
  }
  return SeededNumber(pattern_.seed, select, cycles_hz / 1000, cycles_hz / 20);
}

uint64_t SimulatedCci400::TotalOf(int index, int64_t elapsed_ns) const {
  if (index == 0) {
    const uint64_t clocks = EventTotal(pattern_, kCyclesKey, CyclesRateHz(), elapsed_ns);
    return (pmcr_ & kCcd) ? clocks / 64 : clocks;
  }
  const uint32_t select = counters_[index].select;
  return EventTotal(pattern_, select, EventRateHz(select), elapsed_ns);
}

bool SimulatedCci400::Counts(int index) const {
  if ((pmcr_ & kCen) == 0 || !counters_[index].enabled) return false;
  return niden_ || (index == 0 && (pmcr_ & kDp) == 0);
}

void SimulatedCci400::Advance() {
  const int64_t now_ns = ElapsedNs();
  for (int index = 0; index < kCounters; ++index) {
    if (!Counts(index)) continue;
    Counter& counter = counters_[index];
    const uint64_t sum = counter.count + (TotalOf(index, now_ns) - TotalOf(index, advanced_ns_));
    if (sum > 0xffffffff) counter.overflow = true;
    counter.count = static_cast<uint32_t>(sum);
  }
  advanced_ns_ = now_ns;
}

absl::Status SimulatedCci400::CheckAccess(uint32_t offset) const {
  if (offset % 4 != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: offset 0x%x is no multiple of 4", Description(), offset));
  }
  if (offset >= size_bytes()) {
    return absl::OutOfRangeError(
        absl::StrFormat("%s: offset 0x%x is outside the window", Description(), offset));
  }
  if (Concerns(spec_.fault, offset)) {
    return absl::InternalError(
        absl::StrFormat("%s: register 0x%x faults, as asked", Description(), offset));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> SimulatedCci400::Read32(uint32_t offset) {
  absl::Status valid = CheckAccess(offset);
  if (!valid.ok()) return valid;
  absl::MutexLock lock(&mutex_);
  Advance();
  const uint32_t contents = ReadRegister(offset);
  if (Concerns(spec_.zero, offset)) return 0;
  if (!Concerns(spec_.stuck, offset)) return contents;
  return stuck_contents_.emplace(offset, contents).first->second;
}

absl::Status SimulatedCci400::Write32(uint32_t offset, uint32_t value) {
  absl::Status valid = CheckAccess(offset);
  if (!valid.ok()) return valid;
  absl::MutexLock lock(&mutex_);
  Advance();
  WriteRegister(offset, value);
  return absl::OkStatus();
}

uint32_t SimulatedCci400::ReadRegister(uint32_t offset) const {
  if (offset == kPmcr) return pmcr_ | kCounterNumber;
  if (offset == kPeripheralId2) {
    return spec_.model == SimulationModel::kCci400R0 ? 0x4b : 0x6b;
  }
  const uint32_t index = (offset - kFirstFrame) / kFrameBytes;
  if (offset < kFirstFrame || index >= kCounters) return 0;
  const Counter& counter = counters_[index];
  switch (offset % kFrameBytes) {
    case 0x0:
      return counter.select;
    case 0x4:
      return counter.count;
    case 0x8:
      return counter.enabled ? 1 : 0;
    case 0xc:
      return counter.overflow ? 1 : 0;
    default:
      return 0;
  }
}

void SimulatedCci400::WriteRegister(uint32_t offset, uint32_t value) {
  if (offset == kPmcr) return WritePmcr(value);
  if (offset >= kFirstFrame && offset < kFirstFrame + kCounters * kFrameBytes) {
    WriteCounter(offset, value);
  }
}

void SimulatedCci400::WritePmcr(uint32_t value) {
  for (int index = 0; index < kCounters; ++index) {
    if (value & (index == 0 ? kCcr : kRst)) counters_[index].count = spec_.start.value_or(0);
  }
  pmcr_ = value & (kCen | kCcd | kEx | kDp);
}

void SimulatedCci400::WriteCounter(uint32_t offset, uint32_t value) {
  const uint32_t index = (offset - kFirstFrame) / kFrameBytes;
  Counter& counter = counters_[index];
  switch (offset % kFrameBytes) {
    case 0x0:
      if (index != 0) counter.select = value & 0xff;
      break;
    case 0x4:
      counter.count = value;
      break;
    case 0x8:
      counter.enabled = (value & 1) != 0;
      break;
    case 0xc:
      if (value & 1) counter.overflow = false;
      break;
    default:
      break;
  }
}

}  // namespace pmu::server
