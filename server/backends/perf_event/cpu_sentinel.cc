#include "server/backends/perf_event/cpu_sentinel.h"

#include <linux/perf_event.h>

namespace pmu::server {

SyscallResult CpuSentinel::Open() {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
  attr.exclude_kernel = true;
  attr.exclude_hv = true;
  const SyscallResult result = syscalls_->Open(attr, -1, cpu_, -1, PERF_FLAG_FD_CLOEXEC);
  if (!result.ok()) return result;
  Close();
  fd_ = static_cast<int>(result.value);
  away_since_ns_.reset();
  presence_.Mark(clock_->MonotonicNs());
  return result;
}

absl::optional<int64_t> CpuSentinel::AwaySinceNs() {
  if (fd_ < 0 || away_since_ns_.has_value()) return away_since_ns_;
  // Taken before the read, so that no delay of ours looks like a lost CPU.
  const int64_t now_ns = clock_->MonotonicNs();
  uint64_t words[2] = {};  // count, enabled time
  const SyscallResult result = syscalls_->Read(fd_, words, sizeof(words));
  if (!result.ok() || result.value != sizeof(words)) return absl::nullopt;
  if (presence_.WentAway(now_ns, words[1])) {
    away_since_ns_ = presence_.AwaySinceNs(words[1]);
  } else if (presence_.WantsMark(now_ns)) {
    presence_.Mark(clock_->MonotonicNs(), words[1]);
  }
  return away_since_ns_;
}

void CpuSentinel::Close() {
  if (fd_ >= 0) syscalls_->Close(fd_);
  fd_ = -1;
}

}  // namespace pmu::server
