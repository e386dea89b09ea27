// pair_reader.h: MPERF and APERF of one CPU, read as close together as can be.
//
// Their ratio means something only when both are of the same moment. An
// interrupt between the two reads spoils it, so that a slow pair is read
// again; of several slow ones the fastest is taken, and says how slow it was.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_PAIR_READER_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_PAIR_READER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

struct PairSample {
  uint64_t mperf = 0;
  uint64_t aperf = 0;
  int64_t taken_ns = 0;  // before the first read
  int64_t gap_ns = 0;    // the two reads together took at most this long
};

// A pair that took longer is read again.
inline constexpr int64_t kSlowPairNs = 100'000;
inline constexpr int kPairAttempts = 5;

// Errors as MsrDevice. Does not sleep. Thread-safe.
absl::StatusOr<PairSample> ReadPair(MsrDevice& device, const Clock& clock, int cpu);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_PAIR_READER_H_
