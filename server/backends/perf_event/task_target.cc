#include "server/backends/perf_event/task_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Whether the perf_event controller is bound to a v1 hierarchy, mounted here or
// not; v2 cannot use it then. Columns of /proc/cgroups: name, hierarchy (0: v2).
bool BoundToVersion1(absl::string_view root) {
  const std::string controllers = ReadSmallFile(RootedPath(root, "/proc/cgroups")).value_or("");
  for (const absl::string_view line : absl::StrSplit(controllers, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
    if (fields.size() > 1 && fields[0] == "perf_event") return fields[1] != "0";
  }
  return false;
}

// The mount points of the v1 perf_event hierarchy and of v2, in that order of
// preference.
absl::StatusOr<std::string> FindCgroupMount(absl::string_view root) {
  const std::string mounts = ReadSmallFile(RootedPath(root, "/proc/self/mounts")).value_or("");
  std::string unified;
  for (const absl::string_view line : absl::StrSplit(mounts, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    if (fields.size() < 4) continue;
    if (fields[2] == "cgroup2" && unified.empty()) unified = std::string(fields[1]);
    if (fields[2] != "cgroup") continue;
    const std::vector<absl::string_view> options = absl::StrSplit(fields[3], ',');
    if (std::find(options.begin(), options.end(), "perf_event") != options.end()) {
      return std::string(fields[1]);
    }
  }
  if (BoundToVersion1(root)) {
    return absl::FailedPreconditionError(
        "the perf_event controller belongs to a cgroup v1 hierarchy that is not mounted here; as "
        "root: mount -t cgroup -o perf_event none DIR");
  }
  if (unified.empty()) {
    return absl::FailedPreconditionError(
        "no cgroup hierarchy that can be counted is mounted; as root: mount -t cgroup2 none "
        "/sys/fs/cgroup (or, with cgroups v1: mount -t cgroup -o perf_event none DIR)");
  }
  return unified;
}

}  // namespace

absl::StatusOr<std::vector<pid_t>> ReadThreads(absl::string_view root, pid_t pid) {
  const std::string directory = RootedPath(root, absl::StrCat("/proc/", pid, "/task"));
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(directory);
  std::vector<pid_t> threads;
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    pid_t tid = 0;
    if (absl::SimpleAtoi(name, &tid) && tid > 0) threads.push_back(tid);
  }
  if (threads.empty()) return absl::NotFoundError(absl::StrCat("no process ", pid));
  std::sort(threads.begin(), threads.end());
  return threads;
}

absl::StatusOr<std::string> FindCgroupDirectory(absl::string_view root, absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part == "..") {
      return absl::InvalidArgumentError(absl::StrCat("cgroup '", path, "' must not hold '..'"));
    }
  }
  const absl::StatusOr<std::string> mount = FindCgroupMount(root);
  if (!mount.ok()) return mount.status();
  absl::string_view below = path;
  if (absl::StartsWith(absl::StrCat(path, "/"), absl::StrCat(*mount, "/"))) {
    below.remove_prefix(mount->size());
  }
  below = absl::StripPrefix(below, "/");
  std::string directory = RootedPath(root, *mount);
  if (!below.empty()) absl::StrAppend(&directory, "/", below);
  if (!IsDirectory(directory)) {
    return absl::NotFoundError(absl::StrCat("no cgroup '", path, "' below ", *mount));
  }
  return directory;
}

absl::StatusOr<DirectoryHandle> DirectoryHandle::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return DirectoryHandle(fd);
}

DirectoryHandle::DirectoryHandle(DirectoryHandle&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

DirectoryHandle& DirectoryHandle::operator=(DirectoryHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

DirectoryHandle::~DirectoryHandle() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace pmu::server
