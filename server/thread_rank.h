// thread_rank.h: how soon a thread gets its turn, and where.
//
// Pure but for the calling thread; thread-safe.
#ifndef PMU_SERVER_THREAD_RANK_H_
#define PMU_SERVER_THREAD_RANK_H_

#include "absl/status/status.h"
#include "absl/types/optional.h"

namespace pmu::server {

struct ThreadRank {
  // SCHED_FIFO priority 1 to 99; 0: an ordinary thread. Not given: the lowest
  // real-time priority where that is allowed (CAP_SYS_NICE, sched(7)).
  absl::optional<int> priority;
  // The CPU it stays on; not given: any.
  absl::optional<int> cpu;
};

// Gives the calling thread its rank, and timers that are not batched with those
// of others. PERMISSION_DENIED, INVALID_ARGUMENT: what was asked for is not to
// be had; names it.
absl::Status TakeRank(const ThreadRank& rank);

}  // namespace pmu::server

#endif  // PMU_SERVER_THREAD_RANK_H_
