// file_restore_journal.h: the restore journal on disk, and its replay.
//
// One file, restore.journal, in the agent's state directory, and beside it
// restore.lock, which is locked while the journal is open: two agents that
// share a state directory would restore each other's changes. The format is described in
// server/registers/restore_journal.h.
//
// Order: Open once at start; Replay before anything records; then Record and
// MarkUndone from any backend.
#ifndef PMU_SERVER_JOURNAL_FILE_RESTORE_JOURNAL_H_
#define PMU_SERVER_JOURNAL_FILE_RESTORE_JOURNAL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/journal/journal_format.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// Devices whose name begins with this are simulated: they end with their
// agent, so their records are dropped and never written to real registers.
inline constexpr char kSimulatedDevicePrefix[] = "simulated-";

// Where the journal stands in its work; see FileRestoreJournal::Options.
enum class JournalPoint {
  kBeforeWrite,  // nothing of the record is in the file
  kHalfWritten,  // half of its bytes are
  kWritten,      // all are, not yet forced to disk
  kDurable,      // Record is about to return
  kBeforeUndone,
  kUndone,
};

// What a replay did, for the agent's log.
struct ReplayResult {
  int restored = 0;                   // records written back
  int dropped = 0;                    // of another boot, or of simulated hardware
  int failed = 0;                     // kept: at least one step could not be written
  std::vector<std::string> messages;  // a line each; empty when there was nothing
};

// Thread-safe.
class FileRestoreJournal final : public RestoreJournal {
 public:
  struct Options {
    // Called at each point, inside the calls. Tests end the process there.
    std::function<void(JournalPoint)> at_point;
  };

  // `boot_id`: that of this boot. Creates the journal when it is not there
  // (the directory must be), and drops what is damaged in it. FAILED_PRECONDITION: another agent
  // holds the journal; otherwise an error of the file system, with the path.
  static absl::StatusOr<std::unique_ptr<FileRestoreJournal>> Open(absl::string_view state_dir,
                                                                  absl::string_view boot_id,
                                                                  Options options);
  static absl::StatusOr<std::unique_ptr<FileRestoreJournal>> Open(absl::string_view state_dir,
                                                                  absl::string_view boot_id) {
    return Open(state_dir, boot_id, Options());
  }
  ~FileRestoreJournal() override;
  FileRestoreJournal(const FileRestoreJournal&) = delete;
  FileRestoreJournal& operator=(const FileRestoreJournal&) = delete;

  // Undoes what a former agent left, latest first. `targets`: by the part of
  // the device's name before ':' ("msr", "cci400", "file"); not owned. A record
  // of which a step fails stays, to be tried at the next start.
  ReplayResult Replay(const std::map<std::string, RestoreTarget*>& targets);

  absl::StatusOr<Ticket> Record(absl::Span<const RestoreStep> steps) override;
  absl::Status MarkUndone(Ticket ticket) override;

  // Records that are not undone.
  size_t outstanding_count() const;

 private:
  FileRestoreJournal(std::string path, std::string boot_id, int lock_fd, Options options);

  absl::Status Load();
  // Writes the file anew with what is outstanding, in one step.
  absl::Status Rewrite() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Empty() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Appends `text` durably, or leaves the file as it was.
  absl::Status Append(absl::string_view text, bool is_record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteAll(absl::string_view text);
  void At(JournalPoint point) const {
    if (options_.at_point) options_.at_point(point);
  }

  const std::string path_;
  const std::string boot_id_;
  const int lock_fd_;
  const Options options_;
  mutable absl::Mutex mutex_;
  int fd_ ABSL_GUARDED_BY(mutex_) = -1;
  int64_t size_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Not OK: the file could not be brought back to a sound state.
  absl::Status broken_ ABSL_GUARDED_BY(mutex_);
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Ticket, JournalRecord> outstanding_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> load_problems_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_JOURNAL_FILE_RESTORE_JOURNAL_H_
