#include "server/backends/x86_pmc/global_control_driver.h"

#include "absl/strings/str_format.h"
#include "server/backends/x86_pmc/pmc_event.h"

namespace pmu::server {
namespace {

uint64_t CountersOf(absl::Span<const PmcSetting> settings) {
  uint64_t counters = 0;
  for (const PmcSetting& setting : settings) counters |= uint64_t{1} << setting.counter;
  return counters;
}

}  // namespace

std::vector<uint32_t> GlobalControlDriver::RegistersOf(uint32_t counters) const {
  std::vector<uint32_t> registers = SelectDriver::RegistersOf(counters);
  registers.push_back(kGlobalControlRegister);
  return registers;
}

absl::StatusOr<PmcUse> GlobalControlDriver::CountersInUse(int cpu) const {
  absl::StatusOr<PmcUse> use = SelectDriver::CountersInUse(cpu);
  if (!use.ok() || !model_.has_global_in_use()) return use;
  absl::StatusOr<uint64_t> in_use = device_->Read(cpu, kGlobalInUseRegister);
  // A machine without the register cannot say more than its selects do.
  if (absl::IsNotFound(in_use.status())) return use;
  if (!in_use.ok()) return in_use.status();
  const uint32_t counters = static_cast<uint32_t>(*in_use & ((1u << model_.counters) - 1));
  if (counters == 0) return use;
  use->counters |= counters;
  absl::StrAppendFormat(&use->evidence, "%sIA32_PERF_GLOBAL_INUSE 0x%x = 0x%x",
                        use->evidence.empty() ? "" : ", ", kGlobalInUseRegister, *in_use);
  return use;
}

absl::Status GlobalControlDriver::Prepare(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  absl::Status written = Change(cpu, kGlobalControlRegister, CountersOf(settings), 0);
  if (written.ok()) written = WriteCounters(cpu, settings);
  return written.ok() ? WriteSelects(cpu, settings, kSelectEnable) : written;
}

absl::Status GlobalControlDriver::Start(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return Change(cpu, kGlobalControlRegister, 0, CountersOf(settings));
}

absl::Status GlobalControlDriver::Stop(int cpu, absl::Span<const PmcSetting> settings) {
  absl::MutexLock lock(&mutex_);
  return Change(cpu, kGlobalControlRegister, CountersOf(settings), 0);
}

absl::StatusOr<uint32_t> GlobalControlDriver::Unchanged(
    int cpu, absl::Span<const PmcSetting> settings) const {
  absl::StatusOr<uint32_t> unchanged = SelectDriver::Unchanged(cpu, settings);
  if (!unchanged.ok()) return unchanged;
  absl::StatusOr<uint64_t> control = device_->Read(cpu, kGlobalControlRegister);
  if (!control.ok()) return control.status();
  return *unchanged & static_cast<uint32_t>(*control);
}

}  // namespace pmu::server
