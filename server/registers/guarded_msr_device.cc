#include "server/registers/guarded_msr_device.h"

#include <utility>

namespace pmu::server {

GuardedMsrDevice::GuardedMsrDevice(MsrDevice* device, RegisterAllowList allow_list,
                                   RegisterAccessObserver observer)
    : device_(device), allow_list_(std::move(allow_list)), observer_(std::move(observer)) {}

absl::StatusOr<uint64_t> GuardedMsrDevice::CheckedRead(int cpu, uint32_t reg) {
  absl::Status allowed = allow_list_.CheckRead(reg);
  if (!allowed.ok()) return allowed;
  return device_->Read(cpu, reg);
}

absl::Status GuardedMsrDevice::CheckedWrite(int cpu, uint32_t reg, uint64_t value) {
  absl::Status allowed = allow_list_.CheckWrite(reg, value);
  if (!allowed.ok()) return allowed;
  return device_->Write(cpu, reg, value);
}

absl::StatusOr<uint64_t> GuardedMsrDevice::Read(int cpu, uint32_t reg) {
  if (!observer_) return CheckedRead(cpu, reg);
  absl::MutexLock lock(&order_mutex_);
  absl::StatusOr<uint64_t> read = CheckedRead(cpu, reg);
  observer_({false, cpu, reg, read.ok() ? *read : 0, read.ok()});
  return read;
}

absl::Status GuardedMsrDevice::Write(int cpu, uint32_t reg, uint64_t value) {
  if (!observer_) return CheckedWrite(cpu, reg, value);
  absl::MutexLock lock(&order_mutex_);
  absl::Status written = CheckedWrite(cpu, reg, value);
  observer_({true, cpu, reg, value, written.ok()});
  return written;
}

}  // namespace pmu::server
