// msr_block.h: some model-specific registers of one simulated CPU.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_MSR_BLOCK_H_
#define PMU_SERVER_REGISTERS_SIMULATED_MSR_BLOCK_H_

#include <cstdint>

#include "server/registers/simulated/core_model.h"

namespace pmu::server {

// Thread-compatible: the CPU serialises.
class MsrBlock {
 public:
  virtual ~MsrBlock() = default;

  // False: no register of this block.
  virtual bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) = 0;

  // False: no register of this block, or it refuses the write (#GP).
  virtual bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_MSR_BLOCK_H_
