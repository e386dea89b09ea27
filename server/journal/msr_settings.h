// msr_settings.h: model-specific registers as settings of the journal.
#ifndef PMU_SERVER_JOURNAL_MSR_SETTINGS_H_
#define PMU_SERVER_JOURNAL_MSR_SETTINGS_H_

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/journal/setting_keeper.h"
#include "server/registers/msr_device.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// The journal's name of real registers.
inline constexpr char kMsrJournalDevice[] = "msr";

// Thread-safe.
class MsrSettings final : public SettingAccess {
 public:
  // `device` is not owned, must outlive this, and should be guarded: a replay
  // writes what it finds in a file.
  explicit MsrSettings(MsrDevice* device) : device_(device) {}

  absl::StatusOr<uint64_t> Read(const Setting& setting) override {
    return device_->Read(setting.cpu, static_cast<uint32_t>(setting.address));
  }

  absl::Status Restore(const RestoreStep& step) override {
    if (step.address > std::numeric_limits<uint32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("restore journal: no register 0x", absl::Hex(step.address)));
    }
    return device_->Write(step.cpu, static_cast<uint32_t>(step.address), step.data);
  }

 private:
  MsrDevice* const device_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_JOURNAL_MSR_SETTINGS_H_
