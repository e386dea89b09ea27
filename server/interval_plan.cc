#include "server/interval_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

// A sample is late when it is taken after a tenth of its interval; of long
// intervals, after this.
constexpr int64_t kMaxLateNs = 1'000'000;
constexpr int64_t kLateShare = 10;

// No session lives as long as this; beyond it the arithmetic of deadlines could
// overflow. 36 years.
constexpr int64_t kMaxAheadNs = int64_t{1} << 60;

}  // namespace

IntervalPlan::Turn IntervalPlan::Take(uint64_t number) {
  const Turn turn = {number, DueNs(number), false, number - next_};
  next_ = number + 1;
  return turn;
}

IntervalPlan::Turn IntervalPlan::TakeDue(int64_t now_ns, int64_t end_ns) {
  const int64_t until_ns = std::min(now_ns, end_ns - 1);
  const auto passed = static_cast<uint64_t>((until_ns - origin_ns_) / interval_ns_);
  Turn turn = Take(std::max(passed, next_));
  turn.late = now_ns - turn.due_ns > std::min(interval_ns_ / kLateShare, kMaxLateNs);
  return turn;
}

IntervalPlan::Turn IntervalPlan::TakeLast(int64_t end_ns) {
  const int64_t begun =
      (std::max(end_ns - origin_ns_, int64_t{0}) + interval_ns_ - 1) / interval_ns_;
  Turn turn = Take(std::max(static_cast<uint64_t>(begun), next_));
  turn.due_ns = std::min(turn.due_ns, end_ns);
  return turn;
}

absl::Status IntervalPlan::Align(uint64_t number, int64_t due_ns) {
  if (number > static_cast<uint64_t>(kMaxAheadNs / interval_ns_)) {
    return absl::InvalidArgumentError(absl::StrCat("align_number ", number, " is too large"));
  }
  const int64_t now_due_ns = DueNs(number);
  if (due_ns < now_due_ns - interval_ns_ / 2 || due_ns > now_due_ns + interval_ns_ / 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("align_due_ns ", due_ns, " is more than half an interval (", interval_ns_ / 2,
                     " ns) away from ", now_due_ns, ", where interval ", number, " is due"));
  }
  origin_ns_ += due_ns - now_due_ns;
  return absl::OkStatus();
}

}  // namespace pmu::server
