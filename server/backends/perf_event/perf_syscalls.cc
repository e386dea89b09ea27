#include "server/backends/perf_event/perf_syscalls.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace pmu::server {
namespace {

SyscallResult Result(int64_t value) { return {value, value < 0 ? errno : 0}; }

class RealPerfSyscalls final : public PerfSyscalls {
 public:
  SyscallResult Open(const perf_event_attr& attr, pid_t pid, int cpu, int group_fd,
                     unsigned long flags) override {
    return Result(syscall(SYS_perf_event_open, &attr, pid, cpu, group_fd, flags));
  }
  SyscallResult Ioctl(int fd, unsigned long request, unsigned long argument) override {
    return Result(ioctl(fd, request, argument));
  }
  SyscallResult Read(int fd, void* buffer, size_t size) override {
    return Result(read(fd, buffer, size));
  }
  SyscallResult Close(int fd) override { return Result(close(fd)); }
};

}  // namespace

PerfSyscalls& KernelPerfSyscalls() {
  static RealPerfSyscalls& syscalls = *new RealPerfSyscalls;
  return syscalls;
}

}  // namespace pmu::server
