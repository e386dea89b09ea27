#include "server/timer_queue.h"

namespace pmu::server {

TimerQueue::Id TimerQueue::Add(int64_t at_ns, std::function<void()> action) {
  const Id id = ++last_id_;
  entries_.emplace(Key(at_ns, id), std::move(action));
  due_times_.emplace(id, at_ns);
  return id;
}

bool TimerQueue::Cancel(Id id) {
  const auto due_time = due_times_.find(id);
  if (due_time == due_times_.end()) return false;
  entries_.erase(Key(due_time->second, id));
  due_times_.erase(due_time);
  return true;
}

absl::optional<int64_t> TimerQueue::NextDeadline() const {
  if (entries_.empty()) return absl::nullopt;
  return entries_.begin()->first.first;
}

std::function<void()> TimerQueue::TakeDue(int64_t now_ns) {
  if (entries_.empty() || entries_.begin()->first.first > now_ns) return {};
  auto first = entries_.extract(entries_.begin());
  due_times_.erase(first.key().second);
  return std::move(first.mapped());
}

size_t TimerQueue::RunDue(int64_t now_ns) {
  size_t count = 0;
  while (std::function<void()> action = TakeDue(now_ns)) {
    action();
    ++count;
  }
  return count;
}

}  // namespace pmu::server
