// guarded_msr_device.h: an MsrDevice that lets only allow-listed registers
// through, and tells what it did.
#ifndef PMU_SERVER_REGISTERS_GUARDED_MSR_DEVICE_H_
#define PMU_SERVER_REGISTERS_GUARDED_MSR_DEVICE_H_

#include <string>

#include "absl/synchronization/mutex.h"
#include "server/registers/allow_list.h"
#include "server/registers/msr_device.h"
#include "server/registers/register_access.h"

namespace pmu::server {

// Refuses with PERMISSION_DENIED, without touching the device, what the list
// does not allow; otherwise as the device below.
//
// Thread-safe. With an observer, accesses are made one at a time, so that it
// hears of them in their order; without one they run in parallel.
class GuardedMsrDevice final : public MsrDevice {
 public:
  // `device` is not owned and must outlive this. `observer` may be empty.
  GuardedMsrDevice(MsrDevice* device, RegisterAllowList allow_list,
                   RegisterAccessObserver observer);

  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override;
  absl::Status Write(int cpu, uint32_t reg, uint64_t value) override;
  std::string Description() const override { return device_->Description(); }

 private:
  absl::StatusOr<uint64_t> CheckedRead(int cpu, uint32_t reg);
  absl::Status CheckedWrite(int cpu, uint32_t reg, uint64_t value);

  MsrDevice* const device_;
  const RegisterAllowList allow_list_;
  const RegisterAccessObserver observer_;
  absl::Mutex order_mutex_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_GUARDED_MSR_DEVICE_H_
