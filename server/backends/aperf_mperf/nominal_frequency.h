// nominal_frequency.h: the frequency at which MPERF counts.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_NOMINAL_FREQUENCY_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_NOMINAL_FREQUENCY_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

struct NominalFrequency {
  double hz = 0;
  std::string source;  // "CPUID leaf 0x16"
};

struct NominalFrequencySources {
  CpuIdentity identity;
  MsrDevice* device = nullptr;  // not owned
  int cpu = 0;                  // whose registers and files are asked
  // Of ROOT/sys/devices/system/cpu/cpuN/cpufreq/base_frequency; nullopt: do
  // not look (the hardware is simulated).
  absl::optional<std::string> root;
  // The time stamp counter's, measured; called only when nothing else is known.
  std::function<absl::optional<double>()> measure_tsc_hz;
};

// In this order: AMD's P0 definition (MSR 0xC0010064); CPUID leaf 0x16 EAX, or
// MSR 0xCE [15:8] x 100 MHz; cpufreq's base_frequency; the time stamp counter,
// labelled as such. nullopt: none is known.
absl::optional<NominalFrequency> FindNominalFrequency(const NominalFrequencySources& sources);

// The core frequency that an AMD P-state definition means; 0: not valid, or a
// family that is not known. AMD's "Processor Programming Reference" (families
// 17h and later) and BKDG (10h to 16h), MSRC001_006[4...B].
double AmdPstateHz(uint32_t family, uint64_t definition);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_NOMINAL_FREQUENCY_H_
