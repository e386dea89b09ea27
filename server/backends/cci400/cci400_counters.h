// cci400_counters.h: the measurement procedure of a CCI-400 on its registers.
//
// The order of writes is that of the manual's worked example (Arm DDI 0470,
// 2.4.3): event selects; enable bits; reset; start; run; stop; read counts;
// check overflow flags. It knows no time but what it is told.
//
// Order: Save; then any number of (Program, Start, any number of Poll, Stop);
// then write back the steps that Save returned. Thread-compatible: the counter
// set serialises.
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_COUNTERS_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_COUNTERS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/backends/cci400/cci400_registers.h"
#include "server/registers/counter_extender.h"
#include "server/registers/mmio_region.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// Errors of all calls are those of the region; INTERNAL else.
class Cci400Counters {
 public:
  // `region` is not owned, covers the whole view and must outlive this.
  // `max_clock_hz`: no CCI-400 runs faster; see CounterExtender.
  Cci400Counters(MmioRegion* region, uint64_t max_clock_hz);

  // The writes that put every register back as it is now; the caller names the
  // device. FAILED_PRECONDITION, unless `take_over`: counters are counting,
  // for somebody else.
  absl::StatusOr<std::vector<RestoreStep>> Save(bool take_over);

  // Sets up the cycle counter and one event counter per select (at most 4);
  // the others are disabled. Counters must be stopped.
  absl::Status Program(absl::Span<const uint32_t> selects);

  // Resets the counters, then starts all of them with one write. Counting is
  // from 0, whatever the reset leaves in them.
  absl::Status Start(int64_t now_ns);

  // Stops all counters with one write. Poll once more afterwards.
  absl::Status Stop();

  // Takes in what was counted since the last poll: all counts, then all flags.
  absl::Status Poll(int64_t now_ns);

  // ABORTED naming the register: somebody else has changed the set-up.
  absl::Status Verify();

  // Counted since Start up to the last Poll. `counter`: 0 cycles, 1 to 4.
  uint64_t total(int counter) const { return extenders_[counter].total(); }
  bool overflow_suspected(int counter) const { return extenders_[counter].overflow_suspected(); }

 private:
  int active_counters() const { return 1 + static_cast<int>(selects_.size()); }
  absl::Status ClearFlag(int counter);

  MmioRegion* const region_;
  uint32_t kept_pmcr_bits_ = 0;  // EX, DP and NCNT stay as they were found.
  std::vector<uint32_t> selects_;
  std::vector<CounterExtender> extenders_;
  // A flag that stays set when it is cleared cannot be used as a check.
  std::array<bool, kCci400Counters> flag_works_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_COUNTERS_H_
