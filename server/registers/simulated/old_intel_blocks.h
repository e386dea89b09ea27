// old_intel_blocks.h: counters of the Pentium (P5, i586 class) and of P6
// (i686 class). Intel SDM volume 3B, "Performance Monitoring (P6 Family
// Processors)" and "(Pentium Processors)".
#ifndef PMU_SERVER_REGISTERS_SIMULATED_OLD_INTEL_BLOCKS_H_
#define PMU_SERVER_REGISTERS_SIMULATED_OLD_INTEL_BLOCKS_H_

#include <array>
#include <cstdint>

#include "server/registers/simulated/msr_block.h"
#include "server/registers/simulated/pmc_bank.h"

namespace pmu::server {

// CESR 0x11, CTR0 0x12, CTR1 0x13: both counters are set up in one register.
// Counting clocks instead of occurrences gives three a occurrence.
class I586Block final : public MsrBlock {
 public:
  explicit I586Block(const CoreModel* model) : model_(model), bank_(model, 2, 40) {}
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  const CoreModel* const model_;
  PmcBank bank_;
  uint64_t cesr_ = 0;
};

// PERFEVTSEL0/1 0x186/0x187, PERFCTR0/1 0xC1/0xC2. The enable bit is only in
// PERFEVTSEL0 and starts both; in PERFEVTSEL1 it is reserved and reads 0.
// A write of a counter takes 32 bits and sign-extends them.
class I686Block final : public MsrBlock {
 public:
  explicit I686Block(const CoreModel* model) : model_(model), bank_(model, 2, 40) {}
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  const CoreModel* const model_;
  PmcBank bank_;
  std::array<uint64_t, 2> selects_ = {};
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_OLD_INTEL_BLOCKS_H_
