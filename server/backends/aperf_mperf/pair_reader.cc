#include "server/backends/aperf_mperf/pair_reader.h"

#include "server/backends/aperf_mperf/free_running_event.h"

namespace pmu::server {

absl::StatusOr<PairSample> ReadPair(MsrDevice& device, const Clock& clock, int cpu) {
  PairSample fastest;
  for (int attempt = 0; attempt < kPairAttempts; ++attempt) {
    PairSample sample;
    sample.taken_ns = clock.MonotonicNs();
    absl::StatusOr<uint64_t> mperf = device.Read(cpu, kMperfRegister);
    if (!mperf.ok()) return mperf.status();
    absl::StatusOr<uint64_t> aperf = device.Read(cpu, kAperfRegister);
    if (!aperf.ok()) return aperf.status();
    sample.gap_ns = clock.MonotonicNs() - sample.taken_ns;
    sample.mperf = *mperf;
    sample.aperf = *aperf;
    if (attempt == 0 || sample.gap_ns < fastest.gap_ns) fastest = sample;
    if (fastest.gap_ns <= kSlowPairNs) break;
  }
  return fastest;
}

}  // namespace pmu::server
