// timer_queue.h: things to do at times to come, in order of time.
//
// Pure data: it knows no clock and starts no thread. Times are on any one
// clock of the caller's, in nanoseconds. Things due at the same time run in
// the order they were added.
//
// Thread-compatible: callers serialise.
#ifndef PMU_SERVER_TIMER_QUEUE_H_
#define PMU_SERVER_TIMER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"

namespace pmu::server {

class TimerQueue {
 public:
  // Names an entry; never used twice, never 0.
  using Id = uint64_t;

  Id Add(int64_t at_ns, std::function<void()> action);

  // False: it ran, was cancelled before, or never was.
  bool Cancel(Id id);

  // When the first entry is due; nullopt: nothing to do.
  absl::optional<int64_t> NextDeadline() const;

  // Takes the first entry that is due at `now_ns` out of the queue; an empty
  // function: none is. To be run without the caller's lock.
  std::function<void()> TakeDue(int64_t now_ns);

  // Runs all that is due, also what those actions add that is due as well.
  // Returns how many ran.
  size_t RunDue(int64_t now_ns);

  size_t size() const { return entries_.size(); }

 private:
  using Key = std::pair<int64_t, Id>;

  std::map<Key, std::function<void()>> entries_;
  absl::flat_hash_map<Id, int64_t> due_times_;
  Id last_id_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_TIMER_QUEUE_H_
