// file_msr_device.h: model-specific registers through the kernel's msr driver,
// /dev/cpu/N/msr (msr(4)): 8 bytes at offset = register number.
#ifndef PMU_SERVER_REGISTERS_FILE_MSR_DEVICE_H_
#define PMU_SERVER_REGISTERS_FILE_MSR_DEVICE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// Opens a CPU's file at its first use, for writing only when something is
// written, and keeps it open. Whatever is found in the file's place (a
// directory, a FIFO) is an error, never a hang.
//
// Messages tell apart: the msr module is not loaded; the CPU is offline or
// does not exist; no permission (CAP_SYS_RAWIO, file mode); writes refused by
// kernel lockdown or by the module's parameter allow_writes; the CPU has no
// such register. Codes as in MsrDevice.
//
// Thread-safe.
class FileMsrDevice final : public MsrDevice {
 public:
  // `root` is put before /dev, /proc and /sys: "" on a real machine.
  explicit FileMsrDevice(absl::string_view root);
  ~FileMsrDevice() override;
  FileMsrDevice(const FileMsrDevice&) = delete;
  FileMsrDevice& operator=(const FileMsrDevice&) = delete;

  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override;
  absl::Status Write(int cpu, uint32_t reg, uint64_t value) override;
  std::string Description() const override;

 private:
  std::string PathOf(int cpu) const;
  // The open file of `cpu`; `flags` O_RDONLY or O_RDWR.
  absl::StatusOr<int> Descriptor(int cpu, int flags);
  absl::StatusOr<int> Open(int cpu, int flags) const;
  absl::Status OpenError(int cpu, int error) const;
  absl::Status NoFileError(int cpu) const;
  absl::Status AccessError(int cpu, uint32_t reg, bool is_write, int error) const;
  absl::Status WriteRefusedError(int cpu, uint32_t reg) const;

  const std::string root_;
  absl::Mutex mutex_;
  std::map<int, int> readable_ ABSL_GUARDED_BY(mutex_);  // CPU -> descriptor
  std::map<int, int> writable_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_FILE_MSR_DEVICE_H_
