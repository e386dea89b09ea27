// perf_syscalls.h: the system calls of perf_event_open(2), as a seam.
//
// Exactly the calls that touch an event descriptor; tests put a scripted
// kernel behind it. errno is captured here and nowhere else.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PERF_SYSCALLS_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PERF_SYSCALLS_H_

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace pmu::server {

// What a system call returned: `value`, or -1 and the errno in `error`.
struct SyscallResult {
  int64_t value = 0;
  int error = 0;

  bool ok() const { return error == 0; }
};

// Implementations are thread-safe.
class PerfSyscalls {
 public:
  virtual ~PerfSyscalls() = default;

  // perf_event_open(2). The value is a descriptor that the caller closes.
  virtual SyscallResult Open(const perf_event_attr& attr, pid_t pid, int cpu, int group_fd,
                             unsigned long flags) = 0;
  virtual SyscallResult Ioctl(int fd, unsigned long request, unsigned long argument) = 0;
  virtual SyscallResult Read(int fd, void* buffer, size_t size) = 0;
  virtual SyscallResult Close(int fd) = 0;
};

// The running kernel. Lives for ever.
PerfSyscalls& KernelPerfSyscalls();

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PERF_SYSCALLS_H_
