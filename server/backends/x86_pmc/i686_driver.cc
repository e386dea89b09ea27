#include "server/backends/x86_pmc/i686_driver.h"

#include "absl/strings/str_format.h"
#include "server/backends/x86_pmc/pmc_event.h"

namespace pmu::server {
namespace {

constexpr uint64_t kModes = kSelectUser | kSelectKernel;

}  // namespace

std::vector<uint32_t> I686Driver::RegistersOf(uint32_t counters) const {
  std::vector<uint32_t> registers = SelectDriver::RegistersOf(counters);
  if ((counters & 1) == 0) registers.insert(registers.begin(), model_.SelectRegister(0));
  return registers;
}

absl::StatusOr<PmcUse> I686Driver::CountersInUse(int cpu) const {
  PmcUse use;
  bool enabled = false;
  for (int i = 0; i < model_.counters; ++i) {
    absl::StatusOr<uint64_t> select = device_->Read(cpu, model_.SelectRegister(i));
    if (!select.ok()) return select.status();
    if (i == 0) enabled = (*select & kSelectEnable) != 0;
    if (!enabled || (*select & kModes) == 0) continue;
    use.counters |= 1u << i;
    absl::StrAppendFormat(&use.evidence, "%sselect 0x%x = 0x%x", use.evidence.empty() ? "" : ", ",
                          model_.SelectRegister(i), *select);
  }
  return use;
}

// Counter 0's select, when it is among `settings`, and the enable bit, which
// is on while any counter of the CPU runs.
absl::Status I686Driver::WriteSelect0(int cpu, absl::Span<const PmcSetting> settings, bool start) {
  const uint64_t enable = running_[cpu] != 0 ? kSelectEnable : 0;
  for (const PmcSetting& setting : settings) {
    if (setting.counter != 0) continue;
    const uint64_t select = start ? setting.select : setting.select & ~kModes;
    return device_->Write(cpu, model_.SelectRegister(0), select | enable);
  }
  // A counter 0 that stands still must not be started by the enable bit.
  const uint64_t stopped = (running_[cpu] & 1) != 0 ? 0 : kModes;
  return Change(cpu, model_.SelectRegister(0), kSelectEnable | stopped, enable);
}

absl::Status I686Driver::Prepare(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  for (const PmcSetting& setting : settings) running_[cpu] &= ~(1u << setting.counter);
  absl::Status written = WriteSelect0(cpu, settings, false);
  for (const PmcSetting& setting : settings) {
    if (!written.ok() || setting.counter == 0) continue;
    written = device_->Write(cpu, model_.SelectRegister(setting.counter), setting.select & ~kModes);
  }
  return written.ok() ? WriteCounters(cpu, settings) : written;
}

// The other select first: the enable bit then starts both at once.
absl::Status I686Driver::Start(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  for (const PmcSetting& setting : settings) {
    if (setting.counter == 0) continue;
    absl::Status written =
        device_->Write(cpu, model_.SelectRegister(setting.counter), setting.select);
    if (!written.ok()) return written;
  }
  for (const PmcSetting& setting : settings) running_[cpu] |= 1u << setting.counter;
  return WriteSelect0(cpu, settings, true);
}

absl::Status I686Driver::Stop(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  for (const PmcSetting& setting : settings) running_[cpu] &= ~(1u << setting.counter);
  absl::Status written = WriteSelect0(cpu, settings, false);
  for (const PmcSetting& setting : settings) {
    if (!written.ok() || setting.counter == 0) continue;
    written = device_->Write(cpu, model_.SelectRegister(setting.counter), setting.select & ~kModes);
  }
  return written;
}

absl::StatusOr<uint32_t> I686Driver::Unchanged(int cpu,
                                               absl::Span<const PmcSetting> settings) const {
  absl::StatusOr<uint64_t> select0 = device_->Read(cpu, model_.SelectRegister(0));
  if (!select0.ok()) return select0.status();
  if ((*select0 & kSelectEnable) == 0) return 0;
  uint32_t unchanged = 0;
  for (const PmcSetting& setting : settings) {
    absl::StatusOr<uint64_t> now = select0;
    if (setting.counter != 0) now = device_->Read(cpu, model_.SelectRegister(setting.counter));
    if (!now.ok()) return now.status();
    if ((*now & ~kSelectEnable) == setting.select) unchanged |= 1u << setting.counter;
  }
  return unchanged;
}

}  // namespace pmu::server
