#include "server/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

absl::Status Errno(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

absl::Status MakeDirectories(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return Errno("--state-dir: mkdir", part);
    if (slash == std::string::npos) return absl::OkStatus();
  }
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(written);
  }
  return true;
}

}  // namespace

StateDir::StateDir(std::string path, FileDescriptor lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

absl::StatusOr<StateDir> StateDir::Open(const std::string& path, absl::string_view instance) {
  absl::Status status = MakeDirectories(path);
  if (!status.ok()) return status;
  const std::string lock_path = absl::StrCat(path, "/lock");
  FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) return Errno("--state-dir: open", lock_path);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Errno("--state-dir: flock", lock_path);
    return absl::FailedPreconditionError(
        absl::StrCat("--state-dir: another agent uses ", path,
                     "; give each agent of a machine a directory of its own"));
  }
  status = WriteFileAtomically(absl::StrCat(path, "/instance"), absl::StrCat(instance, "\n"));
  if (!status.ok()) return status;
  return StateDir(path, std::move(lock));
}

std::string DefaultStateDir() {
  if (geteuid() == 0) return "/var/lib/pmud";
  // The XDG rules: only absolute paths count.
  const char* state_home = getenv("XDG_STATE_HOME");
  if (state_home != nullptr && state_home[0] == '/') return absl::StrCat(state_home, "/pmud");
  const char* home = getenv("HOME");
  return absl::StrCat(home != nullptr ? home : "", "/.local/state/pmud");
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view text) {
  const std::string temporary = absl::StrCat(path, ".new");
  const FileDescriptor fd(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return Errno("open", temporary);
  if (!WriteAll(fd.get(), text)) return Errno("write", temporary);
  if (rename(temporary.c_str(), path.c_str()) != 0) return Errno("rename to", path);
  return absl::OkStatus();
}

}  // namespace pmu::server
