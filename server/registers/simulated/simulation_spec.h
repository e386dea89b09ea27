// simulation_spec.h: the text after pmud --simulate=.
//
//   MODEL[:key=value{,key=value}]      cci400-r1:seed=7,cycles=500M,event.0x63=4M
//
// Models: cci400-r0, cci400-r1, p5, p6, arch-perfmon, amd, aperf-mperf, smi.
// docs/simulated_hardware.md describes every key. Numbers are decimal, with k,
// M or G for thousands, millions, milliards, or 0x hex.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_SIMULATION_SPEC_H_
#define PMU_SERVER_REGISTERS_SIMULATED_SIMULATION_SPEC_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu::server {

enum class SimulationModel {
  kCci400R0,
  kCci400R1,
  kI586,
  kI686,
  kArchPerfmon,
  kAmd,
  kAperfMperf,
  kSmi,
};

// A register whose behaviour is changed, on one CPU or (-1) on all.
struct RegisterFault {
  uint32_t address = 0;
  int cpu = -1;
};

// One --simulate. What is not given stays empty; the model has a default.
struct SimulationSpec {
  SimulationModel model = SimulationModel::kCci400R1;
  std::string name;  // the model as written
  std::string text;  // all of it

  // All models.
  absl::optional<uint64_t> seed;
  absl::optional<uint64_t> jitter_percent;
  absl::optional<uint64_t> rate_hz;               // of every event not named
  absl::optional<uint64_t> cycles_hz;             // the clock that is counted
  absl::optional<uint64_t> start;                 // a counter's first contents
  std::map<uint64_t, uint64_t> event_hz;          // event select -> rate
  std::map<uint32_t, uint64_t> preset;            // register -> contents at power-on
  std::vector<RegisterFault> stuck, fault, zero;  // stand still, fail, read 0

  // CCI-400.
  absl::optional<uint64_t> niden;  // 0: events stand still

  // CPUs.
  absl::optional<uint64_t> cpus, user_percent, nominal_hz, tsc_hz;
  absl::optional<uint64_t> counters, width_bits, version;
  absl::optional<uint64_t> busy_percent;
  std::map<int, uint64_t> busy_percent_of;  // CPU -> percent
  std::vector<int> offline;

  // SMI.
  absl::optional<uint64_t> period_ns, duration_ns;
  std::string freeze_file;
};

// INVALID_ARGUMENT: the token, its position from 1, and what is known or
// allowed there.
absl::StatusOr<SimulationSpec> ParseSimulationSpec(absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_SIMULATION_SPEC_H_
