// fuse_msr: serves simulated CPUs as the kernel's msr driver does, through
// FUSE: MOUNT_POINT/CPU/msr, 8 bytes at offset = register number.
//
//   fuse_msr MOUNT_POINT SPEC...     a SPEC is what pmud --simulate takes
//
// Writes a line to stdout when it serves; ends when it is unmounted or on
// SIGTERM. Errors are the driver's: EIO no such register, ENXIO the CPU is
// offline, EINVAL not 8 bytes.
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse3/fuse.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/clock.h"
#include "server/registers/simulated/simulated_machine.h"

namespace pmu::server {
namespace {

constexpr size_t kRegisterBytes = 8;

SimulatedCpus& Cpus() {
  return *static_cast<SimulatedMachine*>(fuse_get_context()->private_data)->cpus();
}

bool IsOnline(int cpu) {
  for (int online : Cpus().OnlineCpus()) {
    if (online == cpu) return true;
  }
  return false;
}

// The CPU of "/3/msr" or "/3"; -1: no such path.
int CpuOf(const char* path, bool* is_file) {
  absl::string_view rest(path);
  *is_file = absl::ConsumeSuffix(&rest, "/msr");
  int cpu = -1;
  if (!absl::ConsumePrefix(&rest, "/") || !absl::SimpleAtoi(rest, &cpu)) return -1;
  return IsOnline(cpu) ? cpu : -1;
}

int ErrnoOf(const absl::Status& status) {
  if (absl::IsNotFound(status)) return EIO;
  if (absl::IsUnavailable(status)) return ENXIO;
  return EINVAL;
}

int GetAttributes(const char* path, struct stat* out, fuse_file_info*) {
  memset(out, 0, sizeof(*out));
  bool is_file = false;
  const bool is_root = strcmp(path, "/") == 0;
  if (!is_root && CpuOf(path, &is_file) < 0) return -ENOENT;
  out->st_mode = is_file ? S_IFREG | 0600 : S_IFDIR | 0755;
  out->st_nlink = is_file ? 1 : 2;
  if (is_file) out->st_size = off_t{1} << 40;  // Every register number is inside.
  return 0;
}

int Open(const char* path, fuse_file_info* file) {
  bool is_file = false;
  if (CpuOf(path, &is_file) < 0 || !is_file) return -ENOENT;
  file->direct_io = 1;  // No page cache between reader and register.
  return 0;
}

int Read(const char* path, char* buffer, size_t size, off_t offset, fuse_file_info*) {
  bool is_file = false;
  const int cpu = CpuOf(path, &is_file);
  if (cpu < 0) return -ENXIO;
  if (size != kRegisterBytes) return -EINVAL;
  const absl::StatusOr<uint64_t> read = Cpus().Read(cpu, static_cast<uint32_t>(offset));
  if (!read.ok()) return -ErrnoOf(read.status());
  memcpy(buffer, &*read, kRegisterBytes);
  return kRegisterBytes;
}

int Write(const char* path, const char* buffer, size_t size, off_t offset, fuse_file_info*) {
  bool is_file = false;
  const int cpu = CpuOf(path, &is_file);
  if (cpu < 0) return -ENXIO;
  if (size != kRegisterBytes) return -EINVAL;
  uint64_t contents = 0;
  memcpy(&contents, buffer, kRegisterBytes);
  const absl::Status written = Cpus().Write(cpu, static_cast<uint32_t>(offset), contents);
  return written.ok() ? static_cast<int>(kRegisterBytes) : -ErrnoOf(written);
}

int ReadDirectory(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*,
                  fuse_readdir_flags) {
  const auto add = [&](const std::string& name) {
    fill(buffer, name.c_str(), nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  };
  add(".");
  add("..");
  if (strcmp(path, "/") != 0) {
    add("msr");
    return 0;
  }
  for (int cpu : Cpus().OnlineCpus()) add(absl::StrCat(cpu));
  return 0;
}

void* SayThatItServes(fuse_conn_info*, fuse_config*) {
  puts("serving");
  fflush(stdout);
  return fuse_get_context()->private_data;
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: fuse_msr MOUNT_POINT SPEC...\n");
    return 2;
  }
  const std::vector<std::string> specs(argv + 2, argv + argc);
  auto machine = SimulatedMachine::Create(specs, &SystemClock());
  if (!machine.ok() || (*machine)->cpus() == nullptr) {
    fprintf(stderr, "fuse_msr: %s\n",
            machine.ok() ? "no CPU model given" : machine.status().ToString().c_str());
    return 2;
  }
  fuse_operations operations = {};
  operations.getattr = GetAttributes;
  operations.open = Open;
  operations.read = Read;
  operations.write = Write;
  operations.readdir = ReadDirectory;
  operations.init = SayThatItServes;
  std::string foreground = "-f";
  std::string one_thread = "-s";
  char* arguments[] = {argv[0], argv[1], foreground.data(), one_thread.data()};
  return fuse_main(4, arguments, &operations, machine->get());
}

}  // namespace
}  // namespace pmu::server

int main(int argc, char** argv) { return pmu::server::Main(argc, argv); }
