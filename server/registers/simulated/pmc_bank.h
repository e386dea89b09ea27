// pmc_bank.h: programmable counters of one simulated CPU, whatever registers
// select and show them.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_PMC_BANK_H_
#define PMU_SERVER_REGISTERS_SIMULATED_PMC_BANK_H_

#include <cstdint>
#include <vector>

#include "server/registers/simulated/core_model.h"

namespace pmu::server {

// What a counter counts.
struct PmcEvent {
  uint64_t key = 0;      // event code | unit mask << 8 | AMD's bits from 32 on
  uint64_t rate_hz = 0;  // in both modes together
  bool user = false;
  bool kernel = false;
};

// User and kernel parts are counted apart, so that the counts with /u and /k
// add up to the count with both, to the unit.
// Thread-compatible: the CPU serialises.
class PmcBank {
 public:
  // `model` is not owned and must outlive this.
  PmcBank(const CoreModel* model, int counters, int width_bits);

  int size() const { return static_cast<int>(counters_.size()); }

  // Sets what counter `index` counts, and whether it does.
  void Configure(int index, const PmcEvent& event, bool running, const CoreTime& now);

  uint64_t Read(int index, const CoreTime& now);
  void Write(int index, uint64_t contents, const CoreTime& now);

  // Whether the counter has wrapped since the flag was last cleared.
  bool Overflowed(int index, const CoreTime& now);
  void ClearOverflow(int index) { counters_[index].overflow = false; }

  // 32 bits sign-extended to the counters' width, as P6 and later write them.
  uint64_t SignExtended(uint64_t contents) const;

 private:
  struct Counter {
    PmcEvent event;
    bool running = false;
    bool overflow = false;
    uint64_t contents = 0;
    int64_t advanced_ns = 0;  // counting time
  };
  uint64_t Mask() const;
  void Advance(Counter* counter, const CoreTime& now) const;
  uint64_t TotalAt(const PmcEvent& event, int64_t counting_ns) const;

  const CoreModel* const model_;
  const int width_bits_;
  std::vector<Counter> counters_;
};

// The fields of an event select register of P6 and later.
struct EventSelect {
  uint64_t code = 0;
  uint64_t unit_mask = 0;
  bool user = false;
  bool kernel = false;
  bool edge = false;
  bool enable = false;
  bool invert = false;
  uint64_t counter_mask = 0;
};
EventSelect DecodeEventSelect(uint64_t select);

// The simulated event that a select register means. `cycles_code` and
// `cycles_unit_mask`: the one that counts the core clock; `instructions_code`:
// one and a half a cycle; all others are seeded. A counter mask of C divides
// the rate by C + 1, edge halves it, invert takes it off the cycles.
struct EventNumbers {
  uint64_t cycles_code = 0x3c;
  uint64_t instructions_code = 0xc0;
};
PmcEvent SelectedEvent(const CoreModel& model, const EventNumbers& numbers,
                       const EventSelect& select);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_PMC_BANK_H_
