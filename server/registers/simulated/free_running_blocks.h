// free_running_blocks.h: registers that count by themselves: the time stamp
// counter, MPERF and APERF, the SMI count.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_FREE_RUNNING_BLOCKS_H_
#define PMU_SERVER_REGISTERS_SIMULATED_FREE_RUNNING_BLOCKS_H_

#include <cstdint>

#include "server/registers/simulated/msr_block.h"

namespace pmu::server {

// TSC 0x10: tsc_hz, in SMM too. Read only here.
class TscBlock final : public MsrBlock {
 public:
  explicit TscBlock(const CoreModel* model) : model_(model) {}
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  const CoreModel* const model_;
};

// MPERF 0xE7 (nominal_hz) and APERF 0xE8 (cycles_hz) while busy, in SMM too,
// 64 bits, from `start`. The nominal frequency: Intel's PLATFORM_INFO 0xCE
// [15:8] x 100 MHz, or AMD's P0 definition 0xC0010064.
class AperfMperfBlock final : public MsrBlock {
 public:
  AperfMperfBlock(const CoreModel* model, uint64_t start, bool is_amd)
      : model_(model), start_(start), is_amd_(is_amd) {}
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  const CoreModel* const model_;
  const uint64_t start_;
  const bool is_amd_;
};

// SMI_COUNT 0x34: 32 bits, from `start`, read only.
class SmiCountBlock final : public MsrBlock {
 public:
  SmiCountBlock(const SmiSchedule& schedule, uint64_t start) : schedule_(schedule), start_(start) {}
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  const SmiSchedule schedule_;
  const uint64_t start_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_FREE_RUNNING_BLOCKS_H_
