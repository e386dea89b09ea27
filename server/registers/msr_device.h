// msr_device.h: model-specific registers of the machine's CPUs, behind a seam.
//
// Real registers (FileMsrDevice) and simulated ones (SimulatedCpu) implement
// the same interface, so that the code that drives hardware is the code that
// tests and demonstrations run.
#ifndef PMU_SERVER_REGISTERS_MSR_DEVICE_H_
#define PMU_SERVER_REGISTERS_MSR_DEVICE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pmu::server {

// Implementations are thread-safe. A call blocks for one register access,
// which on real hardware may interrupt the CPU that is asked.
//
// Errors of both calls:
//   NOT_FOUND            the CPU has no such register, or refuses the value
//                        (general protection fault)
//   UNAVAILABLE          the CPU is offline, or there is no such CPU
//   PERMISSION_DENIED    not allowed; the message says by what
//   FAILED_PRECONDITION  the machine offers no register access at all
//   INTERNAL             anything else
class MsrDevice {
 public:
  virtual ~MsrDevice() = default;

  virtual absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) = 0;

  virtual absl::Status Write(int cpu, uint32_t reg, uint64_t value) = 0;

  // For messages: "/dev/cpu/*/msr", "simulated p6".
  virtual std::string Description() const = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_MSR_DEVICE_H_
