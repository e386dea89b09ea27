#include "server/journal/file_restore_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

constexpr int64_t kRewriteAboveBytes = 256 * 1024;
constexpr size_t kMaxJournalBytes = 64 * 1024 * 1024;

absl::Status FileError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A new name is durable only when its directory is.
absl::Status SyncDirectory(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return FileError("open", directory);
  absl::Status status = fsync(fd) == 0 ? absl::OkStatus() : FileError("sync", directory);
  close(fd);
  return status;
}

absl::StatusOr<std::string> ReadWhole(int fd, const std::string& path) {
  std::string text;
  char block[16384];
  while (text.size() < kMaxJournalBytes) {
    const ssize_t got = pread(fd, block, sizeof(block), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError("read", path);
    if (got == 0) return text;
    text.append(block, static_cast<size_t>(got));
  }
  return absl::FailedPreconditionError(absl::StrCat(path, ": too large to be a journal"));
}

// Opens for reading and writing, and creates; only regular files.
absl::StatusOr<int> OpenFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) return FileError("open", path);
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
  close(fd);
  return absl::FailedPreconditionError(absl::StrCat(path, " is not a regular file"));
}

// The lock ends with the process, however it ends. A file of its own, because
// the journal is replaced at times.
absl::StatusOr<int> Lock(const std::string& path) {
  absl::StatusOr<int> fd = OpenFile(path);
  if (!fd.ok() || flock(*fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(*fd);
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is held by another agent: give each agent a --state-dir of its own"));
}

bool IsSimulated(const JournalRecord& record) {
  for (const RestoreStep& step : record.steps) {
    if (absl::StartsWith(step.device, kSimulatedDevicePrefix)) return true;
  }
  return false;
}

// Writes all steps, also after one has failed; the first error is returned.
absl::Status RestoreRecord(const JournalRecord& record,
                           const std::map<std::string, RestoreTarget*>& targets) {
  absl::Status first_error;
  for (const RestoreStep& step : record.steps) {
    const auto target = targets.find(step.device.substr(0, step.device.find(':')));
    first_error.Update(target == targets.end()
                           ? absl::NotFoundError(absl::StrCat("this agent has no device \"",
                                                              step.device, "\" to restore"))
                           : target->second->Restore(step));
  }
  return first_error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileRestoreJournal>> FileRestoreJournal::Open(
    absl::string_view state_dir, absl::string_view boot_id, Options options) {
  absl::StatusOr<int> lock_fd = Lock(absl::StrCat(state_dir, "/restore.lock"));
  if (!lock_fd.ok()) return lock_fd.status();
  std::unique_ptr<FileRestoreJournal> journal(
      new FileRestoreJournal(absl::StrCat(state_dir, "/restore.journal"), std::string(boot_id),
                             *lock_fd, std::move(options)));
  absl::Status loaded = journal->Load();
  if (!loaded.ok()) return loaded;
  return journal;
}

FileRestoreJournal::FileRestoreJournal(std::string path, std::string boot_id, int lock_fd,
                                       Options options)
    : path_(std::move(path)),
      boot_id_(std::move(boot_id)),
      lock_fd_(lock_fd),
      options_(std::move(options)) {}

FileRestoreJournal::~FileRestoreJournal() {
  absl::MutexLock lock(&mutex_);
  if (fd_ >= 0) close(fd_);
  close(lock_fd_);
}

absl::Status FileRestoreJournal::Load() {
  absl::MutexLock lock(&mutex_);
  absl::StatusOr<int> fd = OpenFile(path_);
  if (!fd.ok()) return fd.status();
  fd_ = *fd;
  absl::StatusOr<std::string> text = ReadWhole(fd_, path_);
  if (!text.ok()) return text.status();
  JournalContents contents = ParseJournal(*text);
  last_ticket_ = contents.last_ticket;
  load_problems_ = std::move(contents.problems);
  for (JournalRecord& record : contents.outstanding) {
    outstanding_[record.ticket] = std::move(record);
  }
  // What follows a line that was not finished would be glued to it.
  return Rewrite();
}

absl::Status FileRestoreJournal::Rewrite() {
  std::string text;
  for (const auto& [ticket, record] : outstanding_) text += FormatJournalRecord(record);
  const std::string fresh_path = absl::StrCat(path_, ".new");
  unlink(fresh_path.c_str());
  absl::StatusOr<int> fresh = OpenFile(fresh_path);
  if (!fresh.ok()) return fresh.status();
  std::swap(fd_, *fresh);  // now *fresh is the old file
  absl::Status status = WriteAll(text);
  if (status.ok() && rename(fresh_path.c_str(), path_.c_str()) != 0) {
    status = FileError("replace", path_);
  }
  if (!status.ok()) {
    std::swap(fd_, *fresh);
    unlink(fresh_path.c_str());
  } else {
    size_bytes_ = static_cast<int64_t>(text.size());
    status = SyncDirectory(DirectoryOf(path_));
  }
  close(*fresh);
  return status;
}

absl::Status FileRestoreJournal::WriteAll(absl::string_view text) {
  mutex_.AssertHeld();
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(fd_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return FileError("write", path_);
    done += static_cast<size_t>(wrote);
  }
  return fdatasync(fd_) == 0 ? absl::OkStatus() : FileError("sync", path_);
}

absl::Status FileRestoreJournal::Append(absl::string_view text, bool is_record) {
  if (!broken_.ok()) return broken_;
  absl::Status status;
  if (lseek(fd_, size_bytes_, SEEK_SET) < 0) status = FileError("seek in", path_);
  if (status.ok() && is_record && options_.at_point) {
    // In two parts, so that a test can end the process between them.
    const size_t half = text.size() / 2;
    status = WriteAll(text.substr(0, half));
    At(JournalPoint::kHalfWritten);
    if (status.ok()) status = WriteAll(text.substr(half));
    At(JournalPoint::kWritten);
  } else if (status.ok()) {
    status = WriteAll(text);
  }
  if (status.ok()) {
    size_bytes_ += static_cast<int64_t>(text.size());
    return absl::OkStatus();
  }
  // A full disk: what is half written must not spoil what comes after it.
  if (ftruncate(fd_, size_bytes_) != 0) {
    broken_ = absl::UnavailableError(absl::StrCat(
        "the restore journal ", path_, " is damaged: nothing is changed on this machine any more"));
  }
  return absl::UnavailableError(status.message());
}

absl::StatusOr<RestoreJournal::Ticket> FileRestoreJournal::Record(
    absl::Span<const RestoreStep> steps) {
  absl::MutexLock lock(&mutex_);
  JournalRecord record{last_ticket_ + 1, boot_id_, {steps.begin(), steps.end()}};
  At(JournalPoint::kBeforeWrite);
  absl::Status status = Append(FormatJournalRecord(record), true);
  if (!status.ok()) return status;
  const Ticket ticket = ++last_ticket_;
  outstanding_[ticket] = std::move(record);
  At(JournalPoint::kDurable);
  return ticket;
}

absl::Status FileRestoreJournal::MarkUndone(Ticket ticket) {
  absl::MutexLock lock(&mutex_);
  if (outstanding_.erase(ticket) == 0) {
    return absl::NotFoundError(absl::StrCat("the restore journal has no record ", ticket));
  }
  At(JournalPoint::kBeforeUndone);
  absl::Status status;
  if (outstanding_.empty()) {
    status = Empty();
  } else if (size_bytes_ > kRewriteAboveBytes) {
    status = Rewrite();
  } else {
    status = Append(FormatUndone(ticket), false);
  }
  At(JournalPoint::kUndone);
  return status;
}

absl::Status FileRestoreJournal::Empty() {
  if (ftruncate(fd_, 0) != 0 || fdatasync(fd_) != 0) return FileError("empty", path_);
  size_bytes_ = 0;
  return absl::OkStatus();
}

size_t FileRestoreJournal::outstanding_count() const {
  absl::MutexLock lock(&mutex_);
  return outstanding_.size();
}

ReplayResult FileRestoreJournal::Replay(const std::map<std::string, RestoreTarget*>& targets) {
  absl::MutexLock lock(&mutex_);
  ReplayResult result;
  for (const std::string& problem : load_problems_) {
    result.messages.push_back(absl::StrCat(path_, ": ", problem));
  }
  load_problems_.clear();
  std::map<Ticket, JournalRecord> kept;
  for (auto entry = outstanding_.rbegin(); entry != outstanding_.rend(); ++entry) {
    const JournalRecord& record = entry->second;
    const std::string what =
        absl::StrCat("record ", record.ticket, " (", record.steps.size(), " steps)");
    if (record.boot_id != boot_id_ || IsSimulated(record)) {
      ++result.dropped;
      result.messages.push_back(absl::StrCat(
          what, " dropped: ",
          record.boot_id != boot_id_ ? "the machine was restarted since, which reset the registers"
                                     : "simulated hardware ended with its agent"));
      continue;
    }
    absl::Status status = RestoreRecord(record, targets);
    if (status.ok()) {
      ++result.restored;
      result.messages.push_back(absl::StrCat(what, " of an agent that was killed: written back"));
    } else {
      ++result.failed;
      result.messages.push_back(
          absl::StrCat(what, " could not be written back: ", status.message()));
      kept[record.ticket] = record;
    }
  }
  outstanding_ = std::move(kept);
  absl::Status status = Rewrite();
  if (!status.ok()) result.messages.push_back(std::string(status.message()));
  return result;
}

}  // namespace pmu::server
