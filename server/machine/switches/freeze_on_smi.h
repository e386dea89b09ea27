// freeze_on_smi.h: the switch that stops event counters in system management
// mode (FREEZE_WHILE_SMM, IA32_DEBUGCTL bit 14; Linux:
// /sys/devices/cpu/freeze_on_smi, one for each core type of a hybrid machine).
//
// Newer kernels start with it on, so what is put back is what was found.
#ifndef PMU_SERVER_MACHINE_SWITCHES_FREEZE_ON_SMI_H_
#define PMU_SERVER_MACHINE_SWITCHES_FREEZE_ON_SMI_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/journal/setting_keeper.h"
#include "server/machine/switches/switch_files.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// Thread-safe. Must outlive its holds.
class FreezeOnSmi {
 public:
  using Hold = SettingKeeper::Hold;

  // `root` is put before /sys; `journal` as in SettingKeeper; `on_problem`
  // hears of a switch that could not be put back, may be empty.
  FreezeOnSmi(absl::string_view root, RestoreJournal* journal,
              std::function<void(const std::string&)> on_problem);

  // On while any hold lives; the last one's end puts back what the first
  // found. FAILED_PRECONDITION: the machine has no such switch;
  // PERMISSION_DENIED: it cannot be written. Nothing is changed then.
  absl::StatusOr<std::unique_ptr<Hold>> Acquire();

  // Whether every switch of the machine is on; false without one.
  bool IsOn();

  // For the journal's replay, device "file".
  RestoreTarget* restore_target() { return &files_; }

 private:
  // Of the switches that the machine has.
  std::vector<std::string> ExistingPaths() const;

  SwitchFiles files_;
  SettingKeeper keeper_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_MACHINE_SWITCHES_FREEZE_ON_SMI_H_
