// pmc_driver.h: sets up, starts and stops counters of one class.
//
// Counters of one CPU share registers in every class: the Pentium has one
// select for both, P6 one enable bit, the architectural class its global
// control. So each change is a read-modify-write that keeps the bits of other
// counters, under one lock.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PMC_DRIVER_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PMC_DRIVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// What one counter is to do.
struct PmcSetting {
  int counter = 0;
  uint64_t select = 0;  // SelectBits
  uint64_t preload = 0;
};

// Counters that somebody uses, and how that is seen.
struct PmcUse {
  uint32_t counters = 0;  // bit mask
  std::string evidence;   // "select 0x186 = 0x432724"; registers and contents
};

// Order for a set of counters on a CPU: Prepare, Start, Stop. All calls of one
// CPU may come from different sets, for different counters. Errors are those
// of the registers. Thread-safe.
class PmcDriver {
 public:
  // `device` is not owned and must outlive the driver. The class must not be
  // kNone.
  static std::unique_ptr<PmcDriver> Create(const PmcModel& model, MsrDevice* device);
  virtual ~PmcDriver() = default;

  // The registers that using these counters changes, each once, in the order
  // in which they are to be put back: what stops them first.
  virtual std::vector<uint32_t> RegistersOf(uint32_t counters) const = 0;

  // Which counters of a CPU are set up to count, whoever did it.
  virtual absl::StatusOr<PmcUse> CountersInUse(int cpu) const = 0;

  // Stops the counters, and sets events and first contents.
  virtual absl::Status Prepare(int cpu, absl::Span<const PmcSetting> settings) = 0;

  // All of them with one write where the class allows it.
  virtual absl::Status Start(int cpu, absl::Span<const PmcSetting> settings) = 0;
  virtual absl::Status Stop(int cpu, absl::Span<const PmcSetting> settings) = 0;

  // Those of the started counters that are still set up as Start left them.
  virtual absl::StatusOr<uint32_t> Unchanged(int cpu,
                                             absl::Span<const PmcSetting> settings) const = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PMC_DRIVER_H_
