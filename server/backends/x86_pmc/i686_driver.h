// i686_driver.h: P6. The enable bit exists only in PERFEVTSEL0 and starts both
// counters, so a counter on its own is started and stopped by its user and
// kernel bits: without them it counts nothing.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_I686_DRIVER_H_
#define PMU_SERVER_BACKENDS_X86_PMC_I686_DRIVER_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/backends/x86_pmc/select_driver.h"

namespace pmu::server {

// Thread-safe.
class I686Driver final : public SelectDriver {
 public:
  using SelectDriver::SelectDriver;

  // Always with PERFEVTSEL0.
  std::vector<uint32_t> RegistersOf(uint32_t counters) const override;
  absl::StatusOr<PmcUse> CountersInUse(int cpu) const override;
  absl::Status Prepare(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Start(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Stop(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::StatusOr<uint32_t> Unchanged(int cpu, absl::Span<const PmcSetting> settings) const override;

 private:
  absl::Status WriteSelect0(int cpu, absl::Span<const PmcSetting> settings, bool start)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // CPU -> counters that are started.
  std::map<int, uint32_t> running_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_I686_DRIVER_H_
