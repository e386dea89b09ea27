// cci400_registers.h: the register map of a CCI-400's performance monitor.
//
// Byte offsets from the start of its 64 KiB programmers' view, which lies at
// PERIPHBASE + 0x90000. Source: Arm DDI 0470, 2.4.3 "Using the PMU" and 3.3
// "Register descriptions".
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_REGISTERS_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_REGISTERS_H_

#include <cstdint>

namespace pmu::server {

inline constexpr uint64_t kCci400ViewBytes = 0x10000;

// Performance Monitor Control Register.
inline constexpr uint32_t kPmcr = 0x0100;
inline constexpr uint32_t kPmcrEnable = 1 << 0;         // CEN: all counters
inline constexpr uint32_t kPmcrResetEvents = 1 << 1;    // RST: reads as 0
inline constexpr uint32_t kPmcrResetCycles = 1 << 2;    // CCR: reads as 0
inline constexpr uint32_t kPmcrDivideBy64 = 1 << 3;     // CCD
inline constexpr uint32_t kPmcrExport = 1 << 4;         // EX
inline constexpr uint32_t kPmcrDisableCycles = 1 << 5;  // DP: where debug is prohibited
// [15:11], read only; written back as read, as all that is not to change.
inline constexpr uint32_t kPmcrCounterNumberBits = 0x1f << 11;
constexpr uint32_t PmcrCounterNumber(uint32_t pmcr) { return (pmcr >> 11) & 0x1f; }

// Peripheral ID2: bits [7:4] are the revision.
inline constexpr uint32_t kPeripheralId2 = 0x0fe8;

// Counter 0 is the cycle counter, 1 to 4 are the event counters 0 to 3. Each
// has a frame of 4 KiB.
inline constexpr int kCci400EventCounters = 4;
inline constexpr int kCci400Counters = 1 + kCci400EventCounters;
inline constexpr int kCycleCounter = 0;
constexpr uint32_t EventSelectRegister(int counter) { return 0x9000 + 0x1000 * counter; }
constexpr uint32_t CountRegister(int counter) { return EventSelectRegister(counter) + 0x4; }
constexpr uint32_t ControlRegister(int counter) { return EventSelectRegister(counter) + 0x8; }
// Bit 0; cleared by writing 1.
constexpr uint32_t OverflowRegister(int counter) { return EventSelectRegister(counter) + 0xc; }

inline constexpr int kCci400CounterBits = 32;

// An event select: bits [7:5] source interface, [4:0] event code.
constexpr uint32_t EventSelect(uint32_t source, uint32_t code) { return source << 5 | code; }
constexpr uint32_t SourceOf(uint32_t select) { return (select >> 5) & 7; }
constexpr uint32_t CodeOf(uint32_t select) { return select & 0x1f; }

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_REGISTERS_H_
