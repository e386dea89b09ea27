// pmc_model.h: which performance counters a CPU has, and where.
//
// Classes as in NetBSD's i386_pmc_info(3), and the later ones. Register maps
// from Intel's Software Developer's Manual volume 3B ("Performance Monitoring
// (Pentium Processors)", "(P6 Family Processors)", "Architectural Performance
// Monitoring") and AMD's Architecture Programmer's Manual volume 2, 13.2.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PMC_MODEL_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PMC_MODEL_H_

#include <cstdint>

#include "server/registers/allow_list.h"
#include "server/registers/cpuid_source.h"

namespace pmu::server {

enum class PmcClass {
  kNone,
  kI586,           // Pentium: two counters set up in one register
  kI686,           // P6: one enable bit for both counters
  kArchitectural,  // Intel since Core: CPUID leaf 0xA
  kAmd,            // K7 and later
};

// "none", "i586", "i686", "architectural", "amd".
const char* PmcClassName(PmcClass pmc_class);

inline constexpr int kMaxPmcCounters = 8;

struct PmcModel {
  PmcClass pmc_class = PmcClass::kNone;
  int counters = 0;
  int width_bits = 0;              // of a counter
  int code_bits = 8;               // of an event code
  int preload_bits = 0;            // a counter can be set to a number below 2^this
  int perfmon_version = 0;         // architectural only
  bool full_width_writes = false;  // counters are set through 0x4C1 and on
  bool has_tsc = false;

  // Architectural, version 2 and later: a counter also needs its bit in
  // IA32_PERF_GLOBAL_CTRL.
  bool has_global_control() const { return perfmon_version >= 2; }
  // Version 4 and later: IA32_PERF_GLOBAL_INUSE.
  bool has_global_in_use() const { return perfmon_version >= 4; }

  // Registers of counter `index`. The i586 class has one select for both.
  uint32_t SelectRegister(int index) const;
  uint32_t CounterRegister(int index) const;
  // Where the counter is written; differs with full-width writes.
  uint32_t CounterWriteRegister(int index) const;
};

inline constexpr uint32_t kTscRegister = 0x10;
inline constexpr uint32_t kGlobalControlRegister = 0x38f;
inline constexpr uint32_t kGlobalInUseRegister = 0x392;
inline constexpr uint32_t kPerfCapabilitiesRegister = 0x345;
inline constexpr uint64_t kFullWidthWritesBit = uint64_t{1} << 13;

// `perf_capabilities`: MSR 0x345, 0 where there is none.
PmcModel DetectPmcModel(const CpuIdentity& identity, uint64_t perf_capabilities);

// The registers that may be touched; that of kNone allows none.
RegisterAllowList PmcAllowList(PmcClass pmc_class);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PMC_MODEL_H_
