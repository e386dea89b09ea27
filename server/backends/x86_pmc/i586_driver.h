// i586_driver.h: the Pentium. Both counters are set up in one register, CESR,
// 16 bits each; a counter counts while one of its two mode bits is set.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_I586_DRIVER_H_
#define PMU_SERVER_BACKENDS_X86_PMC_I586_DRIVER_H_

#include "server/backends/x86_pmc/select_driver.h"

namespace pmu::server {

// Thread-safe.
class I586Driver final : public SelectDriver {
 public:
  using SelectDriver::SelectDriver;

  std::vector<uint32_t> RegistersOf(uint32_t counters) const override;
  absl::StatusOr<PmcUse> CountersInUse(int cpu) const override;
  absl::Status Prepare(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Start(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Stop(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::StatusOr<uint32_t> Unchanged(int cpu, absl::Span<const PmcSetting> settings) const override;

 private:
  absl::Status WriteHalves(int cpu, absl::Span<const PmcSetting> settings, uint64_t without)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_I586_DRIVER_H_
