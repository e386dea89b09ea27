// open_error.h: what an errno of perf_event_open(2) means, and what to do.
//
// Pure function, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_OPEN_ERROR_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_OPEN_ERROR_H_

#include <sys/types.h>

#include "absl/status/status.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/privileges.h"

namespace pmu::server {

// Who tried to open what.
struct OpenAttempt {
  const ResolvedEvent* event = nullptr;
  int cpu = -1;   // -1: follows the thread
  pid_t tid = 0;  // 0: no thread
  bool for_cgroup = false;
  bool has_core_pmu = true;
  Privileges privileges;
};

// The status for `error`, an errno, saying what to do. What holds for the event
// everywhere reads the same for each of its CPUs, so that it can be shown once;
// what holds for one CPU or thread names the event and the place.
//   PERMISSION_DENIED   EACCES, EPERM: paranoid level, capability, seccomp
//   FAILED_PRECONDITION ENOENT of a software event for a cgroup
//   UNIMPLEMENTED       ENOENT, EOPNOTSUPP, ENOSYS, E2BIG: not on this machine
//   INVALID_ARGUMENT    EINVAL: the PMU refuses these numbers
//   NOT_FOUND           ESRCH: the thread has ended
//   UNAVAILABLE         ENODEV, ENXIO: the CPU or PMU is gone
//   RESOURCE_EXHAUSTED  EBUSY, EMFILE, ENFILE, ENOMEM, ENOSPC
absl::Status OpenError(int error, const OpenAttempt& attempt);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_OPEN_ERROR_H_
