#include "server/machine/root_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {

std::string RootedPath(absl::string_view root, absl::string_view path) {
  return absl::StrCat(root, path);
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  auto close_fd = absl::MakeCleanup([fd] { close(fd); });

  struct stat info;
  if (fstat(fd, &info) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot stat ", path));
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is not a regular file"));
  }

  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > kMaxSmallFileBytes) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, " holds more than ", kMaxSmallFileBytes, " bytes"));
    }
  }
}

absl::StatusOr<std::string> ReadTrimmedFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (text.ok()) absl::StripAsciiWhitespace(&*text);
  return text;
}

absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  auto close_directory = absl::MakeCleanup([directory] { closedir(directory); });

  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(directory)) {
    const absl::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot list ", path));
  std::sort(names.begin(), names.end());
  return names;
}

bool FileExists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace pmu::server
