// simulated_cci400.h: a CCI-400's performance monitor behind the MmioRegion
// seam. Register map and behaviour: Arm DDI 0470, 2.4.3 and 3.3.
//
// Event counters count EventTotal(select) while PMCR.CEN and their enable bit
// are set, and wrap at 32 bits with their overflow flag. PMCR.RST and .CCR
// clear counters and read as 0. The overflow flag is cleared by writing 1.
// With NIDEN low events stand still, and cycles too if PMCR.DP is set. An
// event code that the revision does not have counts nothing.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CCI400_H_
#define PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CCI400_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "server/registers/mmio_region.h"
#include "server/registers/simulated/event_total.h"
#include "server/registers/simulated/simulation_spec.h"

namespace pmu::server {

// Thread-safe.
class SimulatedCci400 final : public MmioRegion {
 public:
  // Powers on now. `spec.model` is one of the two CCI-400. `clock` is not
  // owned and must outlive this.
  SimulatedCci400(SimulationSpec spec, const Clock* clock);

  absl::StatusOr<uint32_t> Read32(uint32_t offset) override;
  absl::Status Write32(uint32_t offset, uint32_t value) override;
  uint32_t size_bytes() const override { return 0x10000; }
  std::string Description() const override;

  // For tests and demonstrations: the rate of an event select (bits [7:5]
  // source, [4:0] code), and of the clock.
  uint64_t EventRateHz(uint32_t select) const;
  uint64_t CyclesRateHz() const;
  // NIDEN, the signal that allows non-invasive debug.
  void SetNiden(bool high);

 private:
  // 0 is the cycle counter, 1 to 4 are the event counters.
  static constexpr int kCounters = 5;
  struct Counter {
    uint32_t select = 0;
    uint32_t count = 0;
    bool enabled = false;
    bool overflow = false;
  };

  int64_t ElapsedNs() const { return clock_->MonotonicNs() - power_on_ns_; }
  // Brings all counts up to now.
  void Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t TotalOf(int index, int64_t elapsed_ns) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Counts(int index) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint32_t ReadRegister(uint32_t offset) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteRegister(uint32_t offset, uint32_t value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WritePmcr(uint32_t value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteCounter(uint32_t offset, uint32_t value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckAccess(uint32_t offset) const;

  const SimulationSpec spec_;
  const Clock* const clock_;
  const EventPattern pattern_;
  const int64_t power_on_ns_;
  absl::Mutex mutex_;
  bool niden_ ABSL_GUARDED_BY(mutex_);
  uint32_t pmcr_ ABSL_GUARDED_BY(mutex_) = 0;  // CEN, CCD, EX and DP only
  int64_t advanced_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::array<Counter, kCounters> counters_ ABSL_GUARDED_BY(mutex_);
  std::map<uint32_t, uint32_t> stuck_contents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_SIMULATED_CCI400_H_
