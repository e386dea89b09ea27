// fake_restore_journal.h: a restore journal in memory. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_RESTORE_JOURNAL_H_
#define PMU_TESTS_FAKES_FAKE_RESTORE_JOURNAL_H_

#include <functional>
#include <map>
#include <vector>

#include "server/registers/restore_journal.h"

namespace pmu::server {

// Thread-compatible.
class FakeRestoreJournal final : public RestoreJournal {
 public:
  absl::StatusOr<Ticket> Record(absl::Span<const RestoreStep> steps) override {
    if (before_record) before_record();
    if (!failure.ok()) return failure;
    pending[++last_ticket_] = {steps.begin(), steps.end()};
    return last_ticket_;
  }

  absl::Status MarkUndone(Ticket ticket) override {
    if (pending.erase(ticket) == 0) return absl::NotFoundError("no such ticket");
    return absl::OkStatus();
  }

  // What would be replayed at the next start.
  std::map<Ticket, std::vector<RestoreStep>> pending;
  // What Record answers, when not OK.
  absl::Status failure;
  std::function<void()> before_record;

 private:
  Ticket last_ticket_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_RESTORE_JOURNAL_H_
