#include "server/registers/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "server/registers/errno_text.h"

namespace pmu::server {
namespace {

absl::Status FileError(const std::string& path, int error) {
  const std::string message = absl::StrCat(path, ": ", ErrnoText(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(message);
  return absl::InternalError(message);
}

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path) {
  std::string text;
  char block[4096];
  while (true) {
    const ssize_t size = read(fd, block, sizeof(block));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FileError(path, errno);
    if (size == 0) return text;
    text.append(block, size);
    if (text.size() > kMaxSmallFileBytes) {
      return absl::FailedPreconditionError(absl::StrCat(path, ": unexpectedly large"));
    }
  }
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return FileError(path, errno);
  struct stat file;
  absl::StatusOr<std::string> text =
      absl::FailedPreconditionError(absl::StrCat(path, ": not a regular file"));
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) text = ReadAll(fd, path);
  close(fd);
  return text;
}

}  // namespace pmu::server
