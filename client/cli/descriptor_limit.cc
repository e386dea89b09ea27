#include "client/cli/descriptor_limit.h"

#include <sys/resource.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace pmu::cli {
namespace {

// A connection to "localhost" tries two addresses at a time.
constexpr rlim_t kPerHost = 2;
// gRPC's own, files, pipes.
constexpr rlim_t kOthers = 64;

}  // namespace

absl::Status AllowConnections(size_t hosts) {
  const rlim_t needed = kOthers + kPerHost * hosts;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return absl::ErrnoToStatus(errno, "getrlimit");
  if (limit.rlim_cur >= needed) return absl::OkStatus();
  if (limit.rlim_max < needed) {
    return absl::ResourceExhaustedError(
        absl::StrCat(hosts, " hosts need ", needed, " file descriptors, but only ", limit.rlim_max,
                     " are allowed: raise the hard limit (ulimit -Hn ", needed, ", as root)"));
  }
  limit.rlim_cur = needed;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return absl::ErrnoToStatus(errno, "setrlimit");
  return absl::OkStatus();
}

}  // namespace pmu::cli
