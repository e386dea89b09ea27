#include "server/backends/aperf_mperf/busy_loop.h"

#include <sched.h>

#include <cerrno>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/cpu_list.h"

namespace pmu::server {
namespace {

// Of the calling thread.
absl::Status BindTo(int cpu) {
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  const size_t size = CPU_ALLOC_SIZE(kMaxCpus);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<size_t>(cpu), size, set);
  const int result = sched_setaffinity(0, size, set);
  const int error = errno;
  CPU_FREE(set);
  if (result == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no thread of the agent can run on CPU ", cpu, ": ",
                                             error == EINVAL
                                                 ? "it is offline, or outside the agent's cpuset"
                                                 : absl::ErrnoToStatus(error, "").ToString()));
}

}  // namespace

absl::Status KeepCpuBusy(int cpu, int64_t duration_ns) {
  if (cpu < 0 || cpu >= kMaxCpus) return absl::UnavailableError("no such CPU");
  absl::Status status;
  std::thread worker([cpu, duration_ns, &status] {
    status = BindTo(cpu);
    const Clock& clock = SystemClock();
    const int64_t end_ns = clock.MonotonicNs() + duration_ns;
    while (status.ok() && clock.MonotonicNs() < end_ns) {
    }
  });
  worker.join();
  return status;
}

}  // namespace pmu::server
