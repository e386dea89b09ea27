#include "server/backends/x86_pmc/i586_driver.h"

#include "absl/strings/str_format.h"
#include "server/backends/x86_pmc/pmc_event.h"

namespace pmu::server {
namespace {

constexpr uint64_t kModes = kI586Kernel | kI586User;
constexpr uint64_t kHalf = 0x3ff;  // event, modes, clocks, pin control

int ShiftOf(int counter) { return 16 * counter; }

}  // namespace

std::vector<uint32_t> I586Driver::RegistersOf(uint32_t counters) const {
  std::vector<uint32_t> registers = {model_.SelectRegister(0)};
  for (int i = 0; i < model_.counters; ++i) {
    if ((counters >> i) & 1) registers.push_back(model_.CounterWriteRegister(i));
  }
  return registers;
}

absl::StatusOr<PmcUse> I586Driver::CountersInUse(int cpu) const {
  absl::StatusOr<uint64_t> cesr = device_->Read(cpu, model_.SelectRegister(0));
  if (!cesr.ok()) return cesr.status();
  PmcUse use;
  for (int i = 0; i < model_.counters; ++i) {
    if ((*cesr >> ShiftOf(i)) & kModes) use.counters |= 1u << i;
  }
  if (use.counters != 0) {
    use.evidence = absl::StrFormat("CESR 0x%x = 0x%x", model_.SelectRegister(0), *cesr);
  }
  return use;
}

// The halves of these counters, with the bits `without` left out, in one write.
absl::Status I586Driver::WriteHalves(int cpu, absl::Span<const PmcSetting> settings,
                                     uint64_t without) {
  uint64_t clear = 0;
  uint64_t set = 0;
  for (const PmcSetting& setting : settings) {
    clear |= kHalf << ShiftOf(setting.counter);
    set |= (setting.select & ~without) << ShiftOf(setting.counter);
  }
  return Change(cpu, model_.SelectRegister(0), clear, set);
}

absl::Status I586Driver::Prepare(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  absl::Status written = WriteHalves(cpu, settings, kModes);
  return written.ok() ? WriteCounters(cpu, settings) : written;
}

absl::Status I586Driver::Start(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return WriteHalves(cpu, settings, 0);
}

absl::Status I586Driver::Stop(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return WriteHalves(cpu, settings, kModes);
}

absl::StatusOr<uint32_t> I586Driver::Unchanged(int cpu,
                                               absl::Span<const PmcSetting> settings) const {
  absl::StatusOr<uint64_t> cesr = device_->Read(cpu, model_.SelectRegister(0));
  if (!cesr.ok()) return cesr.status();
  uint32_t unchanged = 0;
  for (const PmcSetting& setting : settings) {
    if (((*cesr >> ShiftOf(setting.counter)) & kHalf) == setting.select) {
      unchanged |= 1u << setting.counter;
    }
  }
  return unchanged;
}

}  // namespace pmu::server
