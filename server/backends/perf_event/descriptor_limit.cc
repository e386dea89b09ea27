#include "server/backends/perf_event/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/machine/root_files.h"

namespace pmu::server {

absl::Status ReadDescriptorUse(DescriptorUse* use) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return absl::InternalError(absl::StrCat("getrlimit(RLIMIT_NOFILE): errno ", errno));
  }
  use->soft_limit = limit.rlim_cur;
  use->hard_limit = limit.rlim_max;
  // Without /proc the count is unknown; the kernel then decides at open.
  const absl::StatusOr<std::vector<std::string>> open = ListDirectory("/proc/self/fd");
  use->in_use = open.ok() ? open->size() : 0;
  return absl::OkStatus();
}

bool DescriptorsFit(uint64_t needed, uint64_t in_use, uint64_t limit) {
  const uint64_t taken = in_use + kReservedDescriptors;
  return limit >= taken && limit - taken >= needed;
}

absl::Status OutOfDescriptors(uint64_t needed, const DescriptorUse& use) {
  const uint64_t taken = std::min(use.hard_limit, use.in_use + kReservedDescriptors);
  return absl::ResourceExhaustedError(absl::StrCat(
      "needs ", needed, " file descriptors (one per event and CPU or thread), but only ",
      use.hard_limit - taken, " are left of the ", use.hard_limit, " allowed (", use.in_use,
      " in use, ", kReservedDescriptors,
      " kept for the agent): raise LimitNOFILE= or ulimit -Hn of the agent, or ask for fewer "
      "events or CPUs"));
}

absl::Status ReserveDescriptors(uint64_t needed) {
  DescriptorUse use;
  absl::Status status = ReadDescriptorUse(&use);
  if (!status.ok()) return status;
  if (DescriptorsFit(needed, use.in_use, use.soft_limit)) return absl::OkStatus();
  if (!DescriptorsFit(needed, use.in_use, use.hard_limit)) return OutOfDescriptors(needed, use);
  const rlimit raised = {use.hard_limit, use.hard_limit};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
    return absl::InternalError(absl::StrCat("setrlimit(RLIMIT_NOFILE): errno ", errno));
  }
  return absl::OkStatus();
}

}  // namespace pmu::server
