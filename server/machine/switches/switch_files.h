// switch_files.h: switches of the kernel, files of /sys that hold a number, as
// settings of the journal.
#ifndef PMU_SERVER_MACHINE_SWITCHES_SWITCH_FILES_H_
#define PMU_SERVER_MACHINE_SWITCHES_SWITCH_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/journal/setting_keeper.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// Of a setting's device: "file:/sys/devices/cpu/freeze_on_smi".
inline constexpr char kSwitchDevicePrefix[] = "file:";

// Immutable; safe to use from any thread.
class SwitchFiles final : public SettingAccess {
 public:
  // `root` is put before the paths. Only `allowed_paths` are ever written,
  // whatever a journal says.
  SwitchFiles(absl::string_view root, std::vector<std::string> allowed_paths);

  // NOT_FOUND no such file; FAILED_PRECONDITION it holds no number.
  absl::StatusOr<uint64_t> Read(const Setting& setting) override;
  absl::Status Restore(const RestoreStep& step) override;

  // PERMISSION_DENIED: the kernel or the file's mode refuses, or the path is
  // not allowed; the message names the path.
  absl::Status Write(absl::string_view path, uint64_t number);

  bool Exists(absl::string_view path) const;

 private:
  absl::StatusOr<std::string> AllowedPath(absl::string_view device) const;

  const std::string root_;
  const std::vector<std::string> allowed_paths_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_MACHINE_SWITCHES_SWITCH_FILES_H_
