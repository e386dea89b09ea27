// sleeping_timer.h: sleeps until a time of CLOCK_MONOTONIC, or until woken.
//
// A timerfd with absolute times: not touched by steps of the wall clock, and
// follows time namespaces, where futex-based waits of some libraries do not.
//
// One thread sleeps; Wake is thread-safe.
#ifndef PMU_SERVER_SLEEPING_TIMER_H_
#define PMU_SERVER_SLEEPING_TIMER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "server/file_descriptor.h"

namespace pmu::server {

class SleepingTimer {
 public:
  // Errors: those of timerfd_create(2) and eventfd(2).
  static absl::StatusOr<std::unique_ptr<SleepingTimer>> Create();

  // Returns at `deadline_ns` (nullopt: never), or soon after a Wake, also one
  // from before the call.
  void SleepUntil(absl::optional<int64_t> deadline_ns);

  void Wake();

 private:
  SleepingTimer(FileDescriptor timer, FileDescriptor wake);

  const FileDescriptor timer_;
  const FileDescriptor wake_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SLEEPING_TIMER_H_
