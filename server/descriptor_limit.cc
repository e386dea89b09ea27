#include "server/descriptor_limit.h"

#include <errno.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace pmu::server {

absl::StatusOr<int> RaiseDescriptorLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return absl::ErrnoToStatus(errno, "getrlimit(RLIMIT_NOFILE)");
  }
  limit.rlim_cur = limit.rlim_max;
  // "Unlimited" is above fs.nr_open and refused; the old limit then stays.
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  const uint64_t allowed = std::min<uint64_t>(limit.rlim_cur, INT_MAX);
  return static_cast<int>(allowed > kAgentDescriptors ? allowed - kAgentDescriptors : 1);
}

}  // namespace pmu::server
