// pmc_allocation.h: which event gets which counter.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PMC_ALLOCATION_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PMC_ALLOCATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace pmu::server {

// One event that wants a counter.
struct PmcRequest {
  uint32_t counters = 0;  // that can count it, as a bit mask
  int group = 0;          // 0: alone; events of a group get all or nothing
};

// For each request its counter, or -1 where none is left. Groups and lone
// events are served in order; an earlier one never loses its place to a later
// one, but may be moved to another counter that can count it as well.
std::vector<int> AllocateCounters(absl::Span<const PmcRequest> requests, uint32_t free_counters);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PMC_ALLOCATION_H_
