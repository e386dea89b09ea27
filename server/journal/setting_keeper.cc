#include "server/journal/setting_keeper.h"

#include <utility>

namespace pmu::server {

SettingKeeper::SettingKeeper(SettingAccess* access, RestoreJournal* journal,
                             std::function<void(const std::string&)> on_problem)
    : access_(access), journal_(journal), on_problem_(std::move(on_problem)) {}

absl::Status SettingKeeper::SaveNew(const std::vector<Setting>& settings) {
  std::vector<RestoreStep> steps;
  for (const Setting& setting : settings) {
    if (kept_.count(setting) != 0) continue;
    absl::StatusOr<uint64_t> now = access_->Read(setting);
    if (!now.ok()) return now.status();
    steps.push_back({setting.device, setting.cpu, setting.address, *now});
  }
  if (steps.empty()) return absl::OkStatus();
  auto batch = std::make_shared<Batch>();
  if (journal_ != nullptr) {
    absl::StatusOr<RestoreJournal::Ticket> ticket = journal_->Record(steps);
    if (!ticket.ok()) return ticket.status();
    batch->ticket = *ticket;
  }
  batch->not_restored = steps.size();
  for (const RestoreStep& step : steps) {
    kept_[{step.device, step.cpu, step.address}] = {0, step.data, batch};
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SettingKeeper::Hold>> SettingKeeper::Acquire(
    std::vector<Setting> settings) {
  absl::MutexLock lock(&mutex_);
  absl::Status saved = SaveNew(settings);
  if (!saved.ok()) return saved;
  for (const Setting& setting : settings) ++kept_[setting].holders;
  return std::unique_ptr<Hold>(new Hold(this, std::move(settings)));
}

void SettingKeeper::Release(const std::vector<Setting>& settings) {
  absl::MutexLock lock(&mutex_);
  for (const Setting& setting : settings) {
    const auto found = kept_.find(setting);
    if (found == kept_.end() || --found->second.holders > 0) continue;
    PutBack(setting, found->second);
    kept_.erase(found);
  }
}

void SettingKeeper::PutBack(const Setting& setting, const Kept& kept) {
  // What says it already is not written: the write may be refused.
  const absl::StatusOr<uint64_t> now = access_->Read(setting);
  absl::Status status;
  if (!now.ok() || *now != kept.saved) {
    status = access_->Restore({setting.device, setting.cpu, setting.address, kept.saved});
  }
  Batch& batch = *kept.batch;
  if (!status.ok()) {
    batch.failed = true;
    Problem(status);
  }
  if (--batch.not_restored > 0 || batch.failed || journal_ == nullptr) return;
  Problem(journal_->MarkUndone(batch.ticket));
}

void SettingKeeper::Problem(const absl::Status& status) const {
  if (!status.ok() && on_problem_) on_problem_(std::string(status.message()));
}

}  // namespace pmu::server
