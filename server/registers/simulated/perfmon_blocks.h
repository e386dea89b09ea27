// perfmon_blocks.h: counters of Intel's architectural performance monitoring
// (SDM volume 3B) and of AMD K7 and later (APM volume 2, 13.2).
#ifndef PMU_SERVER_REGISTERS_SIMULATED_PERFMON_BLOCKS_H_
#define PMU_SERVER_REGISTERS_SIMULATED_PERFMON_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "server/registers/simulated/msr_block.h"
#include "server/registers/simulated/pmc_bank.h"

namespace pmu::server {

struct PerfmonShape {
  int version = 4;
  int counters = 4;
  int width_bits = 48;
};

// Version 1: an enable bit per counter. From version 2 on IA32_PERF_GLOBAL_CTRL
// too, and three fixed counters: instructions, cycles, reference cycles. From
// version 4 on IA32_PERF_GLOBAL_INUSE. Always with full-width writes.
class ArchPerfmonBlock final : public MsrBlock {
 public:
  ArchPerfmonBlock(const CoreModel* model, const PerfmonShape& shape);
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  bool ReadControl(uint32_t reg, const CoreTime& now, uint64_t* contents);
  bool WriteControl(uint32_t reg, uint64_t contents, const CoreTime& now);
  bool WriteCounter(uint32_t reg, uint64_t contents, const CoreTime& now);
  void ConfigureAll(const CoreTime& now);
  uint64_t Status(const CoreTime& now);
  uint64_t InUse() const;
  uint64_t GlobalBits() const;

  const CoreModel* const model_;
  const PerfmonShape shape_;
  PmcBank general_;
  PmcBank fixed_;
  std::vector<uint64_t> selects_;
  uint64_t fixed_control_ = 0;
  uint64_t global_control_;
};

// Four counters, or six with the extended registers; then the four old
// addresses show the first four of them. An enable bit per counter.
class AmdBlock final : public MsrBlock {
 public:
  AmdBlock(const CoreModel* model, int counters);
  bool Read(uint32_t reg, const CoreTime& now, uint64_t* contents) override;
  bool Write(uint32_t reg, uint64_t contents, const CoreTime& now) override;

 private:
  // Which counter, and whether its select; -1: no register of this block.
  int Decode(uint32_t reg, bool* is_select) const;

  const CoreModel* const model_;
  PmcBank bank_;
  std::vector<uint64_t> selects_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_PERFMON_BLOCKS_H_
