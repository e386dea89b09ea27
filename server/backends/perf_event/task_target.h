// task_target.h: the threads of a process, and the directory of a cgroup.
//
// Reads /proc and the mount table below a root; safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_TASK_TARGET_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_TASK_TARGET_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// All threads of `pid`, ascending, from ROOT/proc/PID/task. NOT_FOUND: no such
// process.
absl::StatusOr<std::vector<pid_t>> ReadThreads(absl::string_view root, pid_t pid);

// The directory of cgroup `path` in the hierarchy that perf_event works with:
// a v1 hierarchy with the perf_event controller when one is mounted, else the
// v2 hierarchy (cgroups(7)). `path` is relative to the mount ("/user.slice" as
// in /proc/PID/cgroup, or "user.slice"), or absolute below the mount.
// NOT_FOUND: no such cgroup; INVALID_ARGUMENT: has a ".."; FAILED_PRECONDITION:
// no such hierarchy is mounted, or v2 is but the controller belongs to v1.
absl::StatusOr<std::string> FindCgroupDirectory(absl::string_view root, absl::string_view path);

// An open directory; closes it at the end of its life. Movable.
class DirectoryHandle {
 public:
  // Errors from errno, with the path.
  static absl::StatusOr<DirectoryHandle> Open(const std::string& path);

  DirectoryHandle() = default;
  DirectoryHandle(DirectoryHandle&& other) noexcept;
  DirectoryHandle& operator=(DirectoryHandle&& other) noexcept;
  ~DirectoryHandle();

  int fd() const { return fd_; }  // -1: none

 private:
  explicit DirectoryHandle(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_TASK_TARGET_H_
