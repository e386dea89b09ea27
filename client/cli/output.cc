#include "client/cli/output.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace pmu::cli {
namespace {

// Terminals narrower than this get lines that wrap.
constexpr size_t kMinWidth = 40;

absl::Status FileError(int error, absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot ", what, " ", path));
}

// The file that `path` leads to through symbolic links.
std::string Followed(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  return realpath(path.c_str(), resolved.data()) != nullptr ? resolved.data() : path;
}

bool IsSpecialFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

absl::Status WriteAll(int fd, absl::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t size = write(fd, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FileError(errno, "write", path);
    text.remove_prefix(static_cast<size_t>(size));
  }
  return absl::OkStatus();
}

absl::Status WriteInPlace(const std::string& path, absl::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return FileError(errno, "open", path);
  absl::Status status = WriteAll(fd, text, path);
  if (close(fd) != 0 && status.ok()) status = FileError(errno, "write", path);
  return status;
}

// A new file beside `path`, so that rename(2) stays on one file system.
int OpenBeside(const std::string& path, std::string* temporary) {
  *temporary = absl::StrCat(path, ".XXXXXX");
  return mkostemp(temporary->data(), O_CLOEXEC);
}

// mkostemp(3) makes files that only the owner can read: give it the mode of
// the file it replaces, or what open(2) would have given a new one.
void SetUsualMode(int fd, const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0) {
    fchmod(fd, info.st_mode & 07777);
    return;
  }
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
}

}  // namespace

size_t OutputWidth(std::FILE* file, size_t otherwise) {
  winsize size = {};
  if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<size_t>(size.ws_col, kMinWidth);
  }
  const char* columns = getenv("COLUMNS");
  size_t width = 0;
  if (columns != nullptr && absl::SimpleAtoi(columns, &width) && width >= kMinWidth) return width;
  return otherwise;
}

absl::Status CheckWritable(const std::string& path) {
  const std::string target = Followed(path);
  if (IsSpecialFile(target)) {
    if (access(target.c_str(), W_OK) != 0) return FileError(errno, "write", path);
    struct stat info = {};
    if (stat(target.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      return FileError(EISDIR, "write", path);
    }
    return absl::OkStatus();
  }
  std::string temporary;
  const int fd = OpenBeside(target, &temporary);
  if (fd < 0) return FileError(errno, "create a file beside", path);
  close(fd);
  unlink(temporary.c_str());
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view text) {
  const std::string target = Followed(path);
  if (IsSpecialFile(target)) return WriteInPlace(target, text);
  std::string temporary;
  const int fd = OpenBeside(target, &temporary);
  if (fd < 0) return FileError(errno, "create a file beside", path);
  SetUsualMode(fd, target);
  absl::Status status = WriteAll(fd, text, path);
  if (status.ok() && fsync(fd) != 0) status = FileError(errno, "write", path);
  if (close(fd) != 0 && status.ok()) status = FileError(errno, "write", path);
  if (status.ok() && rename(temporary.c_str(), target.c_str()) != 0) {
    status = FileError(errno, "replace", path);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status WriteStream(std::FILE* file, absl::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (written && std::fflush(file) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write the output");
}

}  // namespace pmu::cli
