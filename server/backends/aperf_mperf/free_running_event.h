// free_running_event.h: the registers that count by themselves, as events.
//
//   perf-aperf, aperf, msr/aperf/, aperf_mperf/aperf/    APERF 0xE8, 64 bits
//   perf-mperf, mperf, msr/mperf/, aperf_mperf/mperf/    MPERF 0xE7, 64 bits
//   smi, msr/smi/, aperf_mperf/smi/                      SMI_COUNT 0x34, 32 bits
//   aperf_mperf/aperf,raw/                               the contents, not counted from 0
//
// MPERF counts at the nominal frequency and APERF at the core's actual one,
// both only in C0 (Intel SDM volume 3B, "Hardware Feedback for Processor
// Frequency"; AMD APM volume 2, "Effective Frequency"). SMI_COUNT counts
// system management interrupts since reset (SDM volume 4).
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_EVENT_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_EVENT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/event_spec.h"

namespace pmu::server {

inline constexpr const char* kAperfMperfPmu = "aperf_mperf";

struct FreeRunningRegister {
  const char* name;  // below the PMU: "aperf", as the kernel's msr PMU names it
  uint32_t address;
  int width_bits;
  const char* listed_name;  // as written after -e
  const char* description;
};

inline constexpr uint32_t kMperfRegister = 0xe7;
inline constexpr uint32_t kAperfRegister = 0xe8;
inline constexpr uint32_t kSmiCountRegister = 0x34;

// APERF, MPERF and SMI count.
absl::Span<const FreeRunningRegister> FreeRunningRegisters();

struct FreeRunningEvent {
  const FreeRunningRegister* counted = nullptr;
  bool raw = false;  // the register's contents
};

// NOT_FOUND: another PMU's event. INVALID_ARGUMENT: a modifier or an unknown
// term; the message names it and its position.
absl::StatusOr<FreeRunningEvent> SelectFreeRunningEvent(const EventSpec& event);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_EVENT_H_
