// core_model.h: what the register blocks of one simulated CPU share: its
// clocks, its event rates, and when system management mode holds it.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_CORE_MODEL_H_
#define PMU_SERVER_REGISTERS_SIMULATED_CORE_MODEL_H_

#include <cstdint>
#include <map>

#include "absl/types/optional.h"
#include "server/registers/simulated/event_total.h"

namespace pmu::server {

// Where a CPU's time stands.
struct CoreTime {
  int64_t elapsed_ns = 0;   // since power-on
  int64_t counting_ns = 0;  // without the time in SMM while counters froze there
};

// SMIs come at every multiple of `period_ns` and hold every CPU for
// `duration_ns`. period_ns 0: never.
struct SmiSchedule {
  int64_t period_ns = 0;
  int64_t duration_ns = 0;

  // SMIs begun up to `elapsed_ns`.
  uint64_t CountAt(int64_t elapsed_ns) const;
  // Time spent in SMM up to `elapsed_ns`.
  int64_t SmmNsAt(int64_t elapsed_ns) const;
};

// One CPU. Immutable after construction; safe to use from any thread.
struct CoreModel {
  EventPattern pattern;
  uint64_t cycles_hz = 3'000'000'000;   // core clock while busy
  uint64_t nominal_hz = 2'000'000'000;  // MPERF's clock
  uint64_t tsc_hz = 2'000'000'000;
  uint64_t busy_percent = 100;  // of the time in C0
  uint64_t user_percent = 70;   // of all events
  uint64_t start = 0;           // counters' contents at power-on
  absl::optional<uint64_t> rate_hz;
  std::map<uint64_t, uint64_t> event_hz;
  SmiSchedule smi;

  // `hz` while busy, as it is on average.
  uint64_t WhileBusy(uint64_t hz) const { return hz * busy_percent / 100; }
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_CORE_MODEL_H_
