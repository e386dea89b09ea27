// privileges.h: what this process may measure, for error messages.
//
// Safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PRIVILEGES_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PRIVILEGES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu::server {

struct Privileges {
  absl::optional<int> paranoid;   // perf_event_paranoid; nullopt: no such file
  bool perfmon_capable = false;   // CAP_PERFMON or CAP_SYS_ADMIN is effective
  bool seccomp_filtered = false;  // a seccomp filter is in force
};

// From ROOT/proc/self/status and ROOT/proc/sys/kernel/perf_event_paranoid.
Privileges ReadPrivileges(absl::string_view root);

// One sentence: which of paranoid level, capability and seccomp stands in the
// way, and what to do. `needed_level` is the paranoid level at which the kernel
// would allow it without a capability: 2 own processes in user mode, 1 kernel
// mode too, 0 whole CPUs, -1 tracepoints (perf_event_open(2); Documentation/
// admin-guide/perf-security.rst).
std::string PermissionAdvice(const Privileges& privileges, int needed_level);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PRIVILEGES_H_
