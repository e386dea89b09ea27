#include "server/thread_rank.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

int SetPriority(int priority) {
  sched_param parameters = {};
  parameters.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), priority > 0 ? SCHED_FIFO : SCHED_OTHER,
                               &parameters);
}

int StayOn(int cpu) {
  cpu_set_t* const set = CPU_ALLOC(cpu + 1);
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const int error = pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
  return error;
}

}  // namespace

absl::Status TakeRank(const ThreadRank& rank) {
  prctl(PR_SET_TIMERSLACK, 1);  // PR_SET_TIMERSLACK(2const)
  if (!rank.priority.has_value()) {
    // A wish: work at it is short, and on a busy machine an ordinary thread
    // waits for its turn for milliseconds.
    SetPriority(sched_get_priority_min(SCHED_FIFO));
  } else if (const int error = SetPriority(*rank.priority); error != 0) {
    return absl::PermissionDeniedError(absl::StrCat("real-time priority ", *rank.priority, ": ",
                                                    strerror(error),
                                                    "; it needs CAP_SYS_NICE or RLIMIT_RTPRIO"));
  }
  if (!rank.cpu.has_value()) return absl::OkStatus();
  const int error = StayOn(*rank.cpu);
  if (error == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a thread cannot stay on CPU ", *rank.cpu, ": ", strerror(error)));
}

}  // namespace pmu::server
