#include "server/backends/aperf_mperf/free_running_set.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text.h"
#include "server/backends/aperf_mperf/free_running_event.h"

namespace pmu::server {
namespace {

// Of the time since Enable: what the two reads of a pair, at both ends, may
// take in all for their ratio to mean something.
constexpr int64_t kMaxGapPercent = 1;

}  // namespace

FreeRunningSet::FreeRunningSet(absl::Span<const ResolvedEvent> events, MsrDevice* device,
                               const Clock* clock)
    : device_(device), clock_(clock) {
  std::map<int, size_t> cpu_indices;
  for (size_t i = 0; i < events.size(); ++i) {
    AddEvent(events[i], static_cast<int>(i), &cpu_indices);
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].status = device_->Read(slots_[i].cpu, sources_[i].address).status();
    if (!slots_[i].status.ok()) continue;
    Cpu& cpu = cpus_[sources_[i].cpu];
    cpu.wants_mperf |= sources_[i].address == kMperfRegister;
    cpu.wants_aperf |= sources_[i].address == kAperfRegister;
    cpu.wants_smi |= sources_[i].address == kSmiCountRegister;
  }
}

void FreeRunningSet::AddEvent(const ResolvedEvent& event, int index,
                              std::map<int, size_t>* cpu_indices) {
  for (const int number : event.cpus) {
    const auto [entry, is_new] = cpu_indices->emplace(number, cpus_.size());
    if (is_new) {
      cpus_.emplace_back();
      cpus_.back().number = number;
    }
    CounterSlot slot;
    slot.event = index;
    slot.cpu = number;
    slots_.push_back(std::move(slot));
    sources_.push_back(
        {entry->second, static_cast<uint32_t>(event.encoding.config), event.encoding.config1 == 1});
  }
}

absl::Status FreeRunningSet::Sample(Cpu* cpu) {
  if (cpu->wants_smi) {
    absl::StatusOr<uint64_t> smi = device_->Read(cpu->number, kSmiCountRegister);
    if (!smi.ok()) return smi.status();
    cpu->smi = *smi & 0xffffffff;  // the upper half is reserved
  }
  // Also for one of the two: what is counted is then of a known moment.
  const bool wants_pair = cpu->wants_mperf || cpu->wants_aperf;
  if (wants_pair) {
    absl::StatusOr<PairSample> pair = ReadPair(*device_, *clock_, cpu->number);
    if (!pair.ok()) return pair.status();
    cpu->pair = *pair;
  }
  cpu->sampled_ns = wants_pair ? cpu->pair.taken_ns : clock_->MonotonicNs();
  return absl::OkStatus();
}

void FreeRunningSet::SampleAll() {
  for (Cpu& cpu : cpus_) {
    if (cpu.lost) continue;
    const absl::Status sampled = Sample(&cpu);
    if (!sampled.ok()) {
      cpu.lost = true;
      continue;
    }
    const int64_t gaps_ns = cpu.pair_at_start.gap_ns + cpu.pair.gap_ns;
    cpu.too_slow = cpu.wants_mperf && cpu.wants_aperf &&
                   gaps_ns > (cpu.sampled_ns - cpu.started_ns) * kMaxGapPercent / 100;
  }
}

absl::Status FreeRunningSet::Enable() {
  for (Cpu& cpu : cpus_) {
    cpu.lost = !Sample(&cpu).ok();
    cpu.pair_at_start = cpu.pair;
    cpu.smi_at_start = cpu.smi;
    cpu.started_ns = cpu.sampled_ns;
  }
  state_ = State::kCounting;
  return absl::OkStatus();
}

absl::Status FreeRunningSet::Disable() {
  if (state_ == State::kCounting) SampleAll();
  state_ = State::kStopped;
  return absl::OkStatus();
}

RawReading FreeRunningSet::ReadingOf(const Slot& slot) const {
  const Cpu& cpu = cpus_[slot.cpu];
  RawReading reading;
  reading.enabled_ns = static_cast<uint64_t>(cpu.sampled_ns - cpu.started_ns);
  reading.running_ns = reading.enabled_ns;
  reading.state = cpu.lost ? ReadingState::kCpuLost : ReadingState::kCounted;
  uint64_t now = cpu.smi;
  uint64_t at_start = cpu.smi_at_start;
  uint64_t mask = 0xffffffff;
  if (slot.address != kSmiCountRegister) {
    const bool is_aperf = slot.address == kAperfRegister;
    now = is_aperf ? cpu.pair.aperf : cpu.pair.mperf;
    at_start = is_aperf ? cpu.pair_at_start.aperf : cpu.pair_at_start.mperf;
    mask = ~uint64_t{0};
    if (cpu.too_slow && !slot.raw) reading.state = ReadingState::kNotCounted;
  }
  reading.raw_count = slot.raw ? now : (now - at_start) & mask;
  if (reading.state == ReadingState::kNotCounted) reading.raw_count = 0;
  return reading;
}

void FreeRunningSet::Read(absl::Span<RawReading> out) {
  if (state_ == State::kCounting) SampleAll();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].status.ok()) {
      out[i] = RawReading();
      out[i].state = ReadingState::kNotSupported;
    } else {
      out[i] = state_ == State::kArmed ? RawReading() : ReadingOf(sources_[i]);
    }
  }
}

std::vector<std::string> FreeRunningSet::Notes() const {
  std::vector<std::string> notes;
  for (const Cpu& cpu : cpus_) {
    if (!cpu.too_slow) continue;
    notes.push_back(
        absl::StrCat("CPU ", cpu.number, ": MPERF and APERF could not be read together (",
                     FormatDuration(cpu.pair_at_start.gap_ns + cpu.pair.gap_ns), " apart in ",
                     FormatDuration(cpu.sampled_ns - cpu.started_ns), "): no number"));
  }
  return notes;
}

}  // namespace pmu::server
