// pmc_event.h: an event string as the setting of one counter.
//
//   x86_pmc/event=0xc0,umask=0x00,cmask=1,edge,inv,counter=1,preload=0/ku
//   x86_pmc/NAME,cmask=1/u           NAME from the class's table or libpfm4;
//                                    '.' between event and unit mask
//   cycles, cpu-cycles, instructions
//
//   event    event code                       umask    unit mask
//   cmask    count clocks with at least this many events
//   inv      clocks with fewer                edge     from not to yes only
//   clocks   i586: clocks that it lasts       counter  which counter; else any
//   preload  what the counter starts from
//   modifiers u, k: user, kernel mode; none: both
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PMC_EVENT_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PMC_EVENT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/event_spec.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/backends/x86_pmc/pmc_names.h"

namespace pmu::server {

inline constexpr const char* kX86Pmc = "x86_pmc";

// Bits of an event select, P6 and later.
inline constexpr uint64_t kSelectUser = uint64_t{1} << 16;
inline constexpr uint64_t kSelectKernel = uint64_t{1} << 17;
inline constexpr uint64_t kSelectEnable = uint64_t{1} << 22;
// Of a counter's half of the Pentium's CESR.
inline constexpr uint64_t kI586Kernel = uint64_t{1} << 6;  // CPL 0 to 2
inline constexpr uint64_t kI586User = uint64_t{1} << 7;

struct PmcSelection {
  uint32_t code = 0;
  uint32_t umask = 0;
  uint32_t cmask = 0;
  bool inv = false;
  bool edge = false;
  bool clocks = false;
  bool user = true;
  bool kernel = true;
  int counter = -1;  // -1: any
  uint64_t preload = 0;
};

// NOT_FOUND: another PMU's event. INVALID_ARGUMENT: the token, its position
// and what the class allows there. FAILED_PRECONDITION: the class has no such
// generic event.
absl::StatusOr<PmcSelection> SelectPmcEvent(const EventSpec& event, const PmcModel& model,
                                            const PmcNames& names);

// What goes into the select register, the enable bit aside. For the i586 class
// the counter's half of CESR.
uint64_t SelectBits(const PmcModel& model, const PmcSelection& event);

// Counters that can count it, as a bit mask. On P6 some events are counted by
// one of the two only (SDM volume 3B, P6 events: FLOPS and so on).
uint32_t CountersFor(const PmcModel& model, uint32_t code, int counter);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PMC_EVENT_H_
