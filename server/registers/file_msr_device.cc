#include "server/registers/file_msr_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "server/machine/root_files.h"
#include "server/registers/errno_text.h"

namespace pmu::server {
namespace {

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Whether any CPU's register file is there, which says the module is loaded.
bool AnyMsrFile(const std::string& dev_cpu) {
  DIR* directory = opendir(dev_cpu.c_str());
  if (directory == nullptr) return false;
  bool found = false;
  while (const dirent* entry = readdir(directory)) {
    const absl::string_view name(entry->d_name);
    if (absl::StartsWith(name, ".")) continue;
    if (Exists(absl::StrCat(dev_cpu, "/", name, "/msr"))) found = true;
  }
  closedir(directory);
  return found;
}

}  // namespace

FileMsrDevice::FileMsrDevice(absl::string_view root) : root_(root) {}

FileMsrDevice::~FileMsrDevice() {
  for (const auto& [cpu, fd] : readable_) close(fd);
  for (const auto& [cpu, fd] : writable_) close(fd);
}

std::string FileMsrDevice::Description() const { return absl::StrCat(root_, "/dev/cpu/*/msr"); }

std::string FileMsrDevice::PathOf(int cpu) const {
  return absl::StrCat(root_, "/dev/cpu/", cpu, "/msr");
}

absl::StatusOr<uint64_t> FileMsrDevice::Read(int cpu, uint32_t reg) {
  absl::StatusOr<int> fd = Descriptor(cpu, O_RDONLY);
  if (!fd.ok()) return fd.status();
  uint64_t data = 0;
  const ssize_t size = pread(*fd, &data, sizeof(data), reg);
  if (size == sizeof(data)) return data;
  return AccessError(cpu, reg, false, size < 0 ? errno : 0);
}

absl::Status FileMsrDevice::Write(int cpu, uint32_t reg, uint64_t value) {
  absl::StatusOr<int> fd = Descriptor(cpu, O_RDWR);
  if (!fd.ok()) return fd.status();
  const ssize_t size = pwrite(*fd, &value, sizeof(value), reg);
  if (size == sizeof(value)) return absl::OkStatus();
  return AccessError(cpu, reg, true, size < 0 ? errno : 0);
}

absl::StatusOr<int> FileMsrDevice::Descriptor(int cpu, int flags) {
  absl::MutexLock lock(&mutex_);
  std::map<int, int>& open_files = flags == O_RDONLY ? readable_ : writable_;
  const auto found = open_files.find(cpu);
  if (found != open_files.end()) return found->second;
  absl::StatusOr<int> fd = Open(cpu, flags);
  if (fd.ok()) open_files[cpu] = *fd;
  return fd;
}

absl::StatusOr<int> FileMsrDevice::Open(int cpu, int flags) const {
  const std::string path = PathOf(cpu);
  // O_NONBLOCK: opening a FIFO in the file's place must not wait for a peer.
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return OpenError(cpu, errno);
  struct stat file;
  // A regular file is taken too: registers can be served by a FUSE tree.
  if (fstat(fd, &file) == 0 && (S_ISCHR(file.st_mode) || S_ISREG(file.st_mode))) return fd;
  close(fd);
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": not a register device but a ",
                   S_ISDIR(file.st_mode) ? "directory" : "file of another kind"));
}

absl::Status FileMsrDevice::OpenError(int cpu, int error) const {
  const std::string path = PathOf(cpu);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NoFileError(cpu);
    case ENXIO:
    case ENODEV:
      return absl::UnavailableError(absl::StrCat(path, ": CPU ", cpu, " is offline"));
    case EIO:
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": CPU ", cpu, " has no model-specific registers"));
    case EPERM:
      return absl::PermissionDeniedError(
          absl::StrCat(path,
                       ": the kernel refuses register access: run the agent with "
                       "CAP_SYS_RAWIO (not possible under Secure Boot's lockdown)"));
    case EACCES:
    case EROFS:
      return absl::PermissionDeniedError(
          absl::StrCat(path,
                       ": the file's permissions refuse access: run the agent as root, or "
                       "give its user the file and CAP_SYS_RAWIO"));
    case EISDIR:
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": not a register device but a directory"));
    default:
      return absl::InternalError(absl::StrCat("open ", path, ": ", ErrnoText(error)));
  }
}

absl::Status FileMsrDevice::NoFileError(int cpu) const {
  const std::string path = PathOf(cpu);
  if (!AnyMsrFile(absl::StrCat(root_, "/dev/cpu"))) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": no such file: the msr module is not loaded (modprobe msr)"));
  }
  if (Exists(absl::StrCat(root_, "/sys/devices/system/cpu/cpu", cpu))) {
    return absl::UnavailableError(absl::StrCat(path, ": no such file: CPU ", cpu, " is offline"));
  }
  return absl::UnavailableError(
      absl::StrCat(path, ": no such file: the machine has no CPU ", cpu, ", or it is offline"));
}

absl::Status FileMsrDevice::AccessError(int cpu, uint32_t reg, bool is_write, int error) const {
  const std::string what =
      absl::StrFormat("%s: %s of register 0x%x", PathOf(cpu), is_write ? "write" : "read", reg);
  switch (error) {
    case 0:
      return absl::InternalError(absl::StrCat(what, ": short transfer: not a register device"));
    case EIO:
      return absl::NotFoundError(
          absl::StrCat(what, is_write ? ": the CPU has no such register or refuses the value"
                                      : ": the CPU has no such register"));
    case ENXIO:
    case ENODEV:
      return absl::UnavailableError(absl::StrCat(what, ": CPU ", cpu, " is offline"));
    case EPERM:
    case EACCES:
    case EBADF:
      if (is_write) return WriteRefusedError(cpu, reg);
      return absl::PermissionDeniedError(
          absl::StrCat(what, ": the kernel refuses it (lockdown under Secure Boot?)"));
    default:
      return absl::InternalError(absl::StrCat(what, ": ", ErrnoText(error)));
  }
}

absl::Status FileMsrDevice::WriteRefusedError(int cpu, uint32_t reg) const {
  const std::string what = absl::StrFormat("%s: write of register 0x%x", PathOf(cpu), reg);
  const std::string parameter = absl::StrCat(root_, "/sys/module/msr/parameters/allow_writes");
  // "none [integrity] confidentiality": the active level is in brackets.
  const std::string lockdown =
      ReadSmallFile(absl::StrCat(root_, "/sys/kernel/security/lockdown")).value_or("");
  if (absl::StrContains(lockdown, "[integrity]") ||
      absl::StrContains(lockdown, "[confidentiality]")) {
    return absl::PermissionDeniedError(
        absl::StrCat(what, ": refused by kernel lockdown (Secure Boot)"));
  }
  if (absl::StartsWith(ReadSmallFile(parameter).value_or(""), "off")) {
    return absl::PermissionDeniedError(
        absl::StrCat(what, ": refused by msr.allow_writes=off: write \"on\" to ", parameter));
  }
  return absl::PermissionDeniedError(
      absl::StrCat(what, ": the kernel refuses it: see msr.allow_writes and lockdown"));
}

}  // namespace pmu::server
