#include "server/machine/switches/switch_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

absl::Status WriteError(const std::string& path, int error) {
  if (error == EACCES || error == EPERM || error == EROFS) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, " cannot be written (",
                     error == EROFS ? "it is on a read-only file system" : "no permission",
                     "): run the agent as root, with /sys writable"));
  }
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path));
}

}  // namespace

SwitchFiles::SwitchFiles(absl::string_view root, std::vector<std::string> allowed_paths)
    : root_(root), allowed_paths_(std::move(allowed_paths)) {}

absl::StatusOr<std::string> SwitchFiles::AllowedPath(absl::string_view device) const {
  absl::string_view path = device;
  if (absl::ConsumePrefix(&path, kSwitchDevicePrefix) &&
      std::find(allowed_paths_.begin(), allowed_paths_.end(), path) != allowed_paths_.end()) {
    return std::string(path);
  }
  return absl::PermissionDeniedError(
      absl::StrCat(Quote(device), " is not a switch that this agent may set"));
}

bool SwitchFiles::Exists(absl::string_view path) const {
  return FileExists(RootedPath(root_, path));
}

absl::StatusOr<uint64_t> SwitchFiles::Read(const Setting& setting) {
  const absl::StatusOr<std::string> path = AllowedPath(setting.device);
  if (!path.ok()) return path.status();
  const absl::StatusOr<std::string> text = ReadTrimmedFile(RootedPath(root_, *path));
  if (!text.ok()) return text.status();
  const absl::optional<uint64_t> number = ParseDigits(*text);
  if (number) return *number;
  return absl::FailedPreconditionError(
      absl::StrCat(root_, *path, " holds ", Quote(*text), ", not a number"));
}

absl::Status SwitchFiles::Restore(const RestoreStep& step) {
  const absl::StatusOr<std::string> path = AllowedPath(step.device);
  return path.ok() ? Write(*path, step.data) : path.status();
}

absl::Status SwitchFiles::Write(absl::string_view path, uint64_t number) {
  const absl::StatusOr<std::string> allowed = AllowedPath(absl::StrCat(kSwitchDevicePrefix, path));
  if (!allowed.ok()) return allowed.status();
  const std::string rooted = RootedPath(root_, path);
  // Not truncated: a switch must not be empty, not even for a moment.
  const int fd = open(rooted.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return WriteError(rooted, errno);
  const std::string text = absl::StrCat(number, "\n");
  const ssize_t written = write(fd, text.data(), text.size());
  const int error = errno;
  close(fd);
  if (written == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  return WriteError(rooted, written < 0 ? error : EIO);
}

}  // namespace pmu::server
