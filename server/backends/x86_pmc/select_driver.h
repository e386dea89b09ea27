// select_driver.h: counters with a select register and an enable bit each: AMD
// and the first version of the architectural class.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_SELECT_DRIVER_H_
#define PMU_SERVER_BACKENDS_X86_PMC_SELECT_DRIVER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/backends/x86_pmc/pmc_driver.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// Thread-safe.
class SelectDriver : public PmcDriver {
 public:
  SelectDriver(const PmcModel& model, MsrDevice* device) : model_(model), device_(device) {}

  std::vector<uint32_t> RegistersOf(uint32_t counters) const override;
  absl::StatusOr<PmcUse> CountersInUse(int cpu) const override;
  absl::Status Prepare(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Start(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::Status Stop(int cpu, absl::Span<const PmcSetting> settings) override;
  absl::StatusOr<uint32_t> Unchanged(int cpu, absl::Span<const PmcSetting> settings) const override;

 protected:
  absl::Status WriteSelects(int cpu, absl::Span<const PmcSetting> settings, uint64_t more_bits)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteCounters(int cpu, absl::Span<const PmcSetting> settings)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // register = register with `clear` cleared and `set` set.
  absl::Status Change(int cpu, uint32_t reg, uint64_t clear, uint64_t set)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const PmcModel model_;
  MsrDevice* const device_;
  mutable absl::Mutex mutex_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_SELECT_DRIVER_H_
