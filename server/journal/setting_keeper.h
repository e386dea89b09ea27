// setting_keeper.h: what sessions change, saved once and put back by the last.
//
// A setting is a register or a switch. The first holder's arrival saves what
// it says, in the journal first; the last holder's end writes that back. In
// between holders may change it as they agree among themselves. So sessions
// that overlap in any way leave the machine as the first of them found it, and
// so does a replay of the journal.
#ifndef PMU_SERVER_JOURNAL_SETTING_KEEPER_H_
#define PMU_SERVER_JOURNAL_SETTING_KEEPER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// See RestoreStep.
struct Setting {
  std::string device;
  int cpu = -1;
  uint64_t address = 0;

  bool operator<(const Setting& other) const {
    return std::tie(device, cpu, address) < std::tie(other.device, other.cpu, other.address);
  }
};

// How settings are read and, for putting back, written. Implementations are
// thread-safe.
class SettingAccess : public RestoreTarget {
 public:
  virtual absl::StatusOr<uint64_t> Read(const Setting& setting) = 0;
};

// Thread-safe. Must outlive its holds.
class SettingKeeper {
 public:
  // Puts back, at its end, the settings that nobody else holds, in the order
  // given to Acquire.
  class Hold {
   public:
    ~Hold() { keeper_->Release(settings_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    friend class SettingKeeper;
    Hold(SettingKeeper* keeper, std::vector<Setting> settings)
        : keeper_(keeper), settings_(std::move(settings)) {}

    SettingKeeper* const keeper_;
    const std::vector<Setting> settings_;
  };

  // `access` and `journal` are not owned and must outlive this; without a
  // journal (null) nothing is put back after a crash. `on_problem`
  // hears, a line each, of settings that could not be put back; such stay in
  // the journal. May be empty.
  SettingKeeper(SettingAccess* access, RestoreJournal* journal,
                std::function<void(const std::string&)> on_problem);

  // Saves those of `settings`, each once, that nobody holds. When it returns,
  // they may be changed. Errors of Read and of the journal; nothing is held
  // then. Blocks for a disk write.
  absl::StatusOr<std::unique_ptr<Hold>> Acquire(std::vector<Setting> settings);

 private:
  // Settings that one Acquire has saved.
  struct Batch {
    RestoreJournal::Ticket ticket = 0;
    size_t not_restored = 0;
    bool failed = false;
  };
  struct Kept {
    int holders = 0;
    uint64_t saved = 0;
    std::shared_ptr<Batch> batch;
  };

  absl::Status SaveNew(const std::vector<Setting>& settings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Release(const std::vector<Setting>& settings);
  void PutBack(const Setting& setting, const Kept& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Problem(const absl::Status& status) const;

  SettingAccess* const access_;
  RestoreJournal* const journal_;
  const std::function<void(const std::string&)> on_problem_;
  absl::Mutex mutex_;
  std::map<Setting, Kept> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_JOURNAL_SETTING_KEEPER_H_
