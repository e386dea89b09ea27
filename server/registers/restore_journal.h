// restore_journal.h: what must be put back when the agent dies.
//
// Before a session changes a register or a switch, it records the writes that
// undo the change. The agent removes the record when it has undone the change
// itself; after a crash the next agent finds the record and replays it.
//
// Format. A journal is text, one record after another, each a block of lines:
//
//   begin <ticket> <boot-id>
//   step <device> <cpu> <address> <data>
//   ...
//   end <ticket> <crc32 of the lines from begin on, newlines included, 8 hex digits>
//   undone <ticket>
//
// <ticket> is a decimal number, unique in the journal. <boot-id> is that of
// /proc/sys/kernel/random/boot_id: registers do not outlive a boot, so a
// record of another boot is dropped. <device>: "cci400" (address is the byte
// offset), "msr" (the register number), or "file:PATH" (address 0; PATH below
// the root, data written in decimal; %, space and line ends in PATH as %XX);
// with "simulated-" in front, a simulated one, which is never replayed.
// <cpu> is decimal, -1 where there is none; <address> and <data> are hex with
// 0x. Steps are in the order in which they are to be written. A block without
// its end line is a write that did not finish: nothing was changed yet, so it
// is dropped. Several records are undone latest first. Recording is durable
// (fdatasync) before the change is made.
#ifndef PMU_SERVER_REGISTERS_RESTORE_JOURNAL_H_
#define PMU_SERVER_REGISTERS_RESTORE_JOURNAL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace pmu::server {

// One write that puts something back.
struct RestoreStep {
  std::string device;  // "cci400", "msr", "file:/sys/devices/cpu/freeze_on_smi"
  int cpu = -1;
  uint64_t address = 0;
  uint64_t data = 0;
};

// Implementations are thread-safe.
class RestoreJournal {
 public:
  using Ticket = uint64_t;

  virtual ~RestoreJournal() = default;

  // Records steps that undo what the caller is about to change. When it
  // returns, they survive a crash. Blocks for one disk write. On error the
  // caller must change nothing. UNAVAILABLE: the journal cannot be written.
  virtual absl::StatusOr<Ticket> Record(absl::Span<const RestoreStep> steps) = 0;

  // The change has been undone, or is not to be undone any more.
  virtual absl::Status MarkUndone(Ticket ticket) = 0;
};

// Writes one step back; the replay finds one by the device's name.
// Implementations write through the device's allow-list.
class RestoreTarget {
 public:
  virtual ~RestoreTarget() = default;

  virtual absl::Status Restore(const RestoreStep& step) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_RESTORE_JOURNAL_H_
