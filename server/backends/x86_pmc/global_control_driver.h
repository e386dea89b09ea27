// global_control_driver.h: the architectural class from version 2 on. A
// counter counts when both its select's enable bit and its bit in
// IA32_PERF_GLOBAL_CTRL are set, so all counters start with one write of the
// latter.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_GLOBAL_CONTROL_DRIVER_H_
#define PMU_SERVER_BACKENDS_X86_PMC_GLOBAL_CONTROL_DRIVER_H_

#include "server/backends/x86_pmc/select_driver.h"

namespace pmu::server {

// Thread-safe.
class GlobalControlDriver final : public SelectDriver {
 public:
  using SelectDriver::SelectDriver;

  std::vector<uint32_t> RegistersOf(uint32_t counters) const override;
  // From version 4 on asks IA32_PERF_GLOBAL_INUSE, too.
  absl::StatusOr<PmcUse> CountersInUse(int cpu) const override;
  absl::Status Prepare(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Start(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Stop(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::StatusOr<uint32_t> Unchanged(int cpu, absl::Span<const PmcSetting> settings) const override;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_GLOBAL_CONTROL_DRIVER_H_
