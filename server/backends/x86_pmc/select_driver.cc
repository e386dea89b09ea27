#include "server/backends/x86_pmc/select_driver.h"

#include "absl/strings/str_format.h"
#include "server/backends/x86_pmc/pmc_event.h"

namespace pmu::server {

std::vector<uint32_t> SelectDriver::RegistersOf(uint32_t counters) const {
  std::vector<uint32_t> registers;
  for (int i = 0; i < model_.counters; ++i) {
    if ((counters >> i) & 1) registers.push_back(model_.SelectRegister(i));
  }
  for (int i = 0; i < model_.counters; ++i) {
    if ((counters >> i) & 1) registers.push_back(model_.CounterWriteRegister(i));
  }
  return registers;
}

absl::StatusOr<PmcUse> SelectDriver::CountersInUse(int cpu) const {
  PmcUse use;
  for (int i = 0; i < model_.counters; ++i) {
    absl::StatusOr<uint64_t> select = device_->Read(cpu, model_.SelectRegister(i));
    if (!select.ok()) return select.status();
    if ((*select & kSelectEnable) == 0 || (*select & (kSelectUser | kSelectKernel)) == 0) continue;
    use.counters |= 1u << i;
    absl::StrAppendFormat(&use.evidence, "%sselect 0x%x = 0x%x", use.evidence.empty() ? "" : ", ",
                          model_.SelectRegister(i), *select);
  }
  return use;
}

absl::Status SelectDriver::WriteSelects(int cpu, absl::Span<const PmcSetting> settings,
                                        uint64_t more_bits) {
  for (const PmcSetting& setting : settings) {
    absl::Status written =
        device_->Write(cpu, model_.SelectRegister(setting.counter), setting.select | more_bits);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

absl::Status SelectDriver::WriteCounters(int cpu, absl::Span<const PmcSetting> settings) {
  for (const PmcSetting& setting : settings) {
    absl::Status written =
        device_->Write(cpu, model_.CounterWriteRegister(setting.counter), setting.preload);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

absl::Status SelectDriver::Change(int cpu, uint32_t reg, uint64_t clear, uint64_t set) {
  absl::StatusOr<uint64_t> now = device_->Read(cpu, reg);
  if (!now.ok()) return now.status();
  return device_->Write(cpu, reg, (*now & ~clear) | set);
}

absl::Status SelectDriver::Prepare(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  absl::Status written = WriteSelects(cpu, settings, 0);
  return written.ok() ? WriteCounters(cpu, settings) : written;
}

absl::Status SelectDriver::Start(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return WriteSelects(cpu, settings, kSelectEnable);
}

absl::Status SelectDriver::Stop(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return WriteSelects(cpu, settings, 0);
}

absl::StatusOr<uint32_t> SelectDriver::Unchanged(int cpu,
                                                 absl::Span<const PmcSetting> settings) const {
  uint32_t unchanged = 0;
  for (const PmcSetting& setting : settings) {
    absl::StatusOr<uint64_t> now = device_->Read(cpu, model_.SelectRegister(setting.counter));
    if (!now.ok()) return now.status();
    if (*now == (setting.select | kSelectEnable)) unchanged |= 1u << setting.counter;
  }
  return unchanged;
}

}  // namespace pmu::server
