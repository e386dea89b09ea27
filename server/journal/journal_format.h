// journal_format.h: the text of the restore journal.
//
// The format is described in server/registers/restore_journal.h. Whatever
// stands in a journal file is read without trust: a record counts only when
// it is whole and its checksum is right.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_JOURNAL_JOURNAL_FORMAT_H_
#define PMU_SERVER_JOURNAL_JOURNAL_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// Steps recorded together.
struct JournalRecord {
  RestoreJournal::Ticket ticket = 0;
  std::string boot_id;
  std::vector<RestoreStep> steps;  // in the order in which they are to be written
};

// What a journal says.
struct JournalContents {
  // Recorded and not undone, in the order of recording.
  std::vector<JournalRecord> outstanding;
  // The largest ticket seen, whole record or not; 0: none.
  RestoreJournal::Ticket last_ticket = 0;
  // Text that is no whole record, a line for people each.
  std::vector<std::string> problems;
};

// The block of one record, from "begin" to "end", newlines included.
std::string FormatJournalRecord(const JournalRecord& record);

// The line that says that a record is done with, newline included.
std::string FormatUndone(RestoreJournal::Ticket ticket);

// Never fails: what cannot be understood becomes a problem.
JournalContents ParseJournal(absl::string_view text);

// CRC-32 as in ISO 3309 and zlib.
uint32_t Crc32(absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_JOURNAL_JOURNAL_FORMAT_H_
