#include "server/registers/simulated/core_model.h"

#include <algorithm>

namespace pmu::server {

uint64_t SmiSchedule::CountAt(int64_t elapsed_ns) const {
  return period_ns == 0 || elapsed_ns < 0 ? 0 : elapsed_ns / period_ns;
}

int64_t SmiSchedule::SmmNsAt(int64_t elapsed_ns) const {
  const int64_t begun = static_cast<int64_t>(CountAt(elapsed_ns));
  if (begun == 0) return 0;
  return (begun - 1) * duration_ns + std::min(duration_ns, elapsed_ns - begun * period_ns);
}

}  // namespace pmu::server
