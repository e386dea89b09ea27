// availability.h: whether the free-running registers can be believed here.
//
// Some virtual machines advertise MPERF and APERF over registers that read
// zero or fault, so CPUID alone is not believed: both must be seen to increase
// while their CPU is busy.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_AVAILABILITY_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_AVAILABILITY_H_

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/clock.h"
#include "server/backends/aperf_mperf/busy_loop.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// How long the CPU is kept busy between the two samples.
inline constexpr int64_t kBusyNs = 1'000'000;

// OK, or FAILED_PRECONDITION naming the condition that failed: CPUID leaf 6
// ECX bit 0, or a register that stands still or cannot be read on `cpu`.
// Blocks for kBusyNs.
absl::Status CheckAperfMperf(const CpuIdentity& identity, MsrDevice& device,
                             const BusyLoop& busy_loop, int cpu);

// OK, or FAILED_PRECONDITION: there is no such register.
absl::Status CheckSmiCount(const CpuIdentity& identity, MsrDevice& device, int cpu);

// The time stamp counter's frequency, measured for some milliseconds with
// `clock`; nullopt: it cannot be read, or stands still.
absl::optional<double> MeasureTscHz(MsrDevice& device, const Clock& clock,
                                    const BusyLoop& busy_loop, int cpu);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_AVAILABILITY_H_
