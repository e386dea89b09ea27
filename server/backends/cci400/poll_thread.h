// poll_thread.h: a thread that calls a function again and again, each time
// after as long as the function asked for.
//
// It sleeps on a timerfd (CLOCK_MONOTONIC), not on a futex with a time-out.
#ifndef PMU_SERVER_BACKENDS_CCI400_POLL_THREAD_H_
#define PMU_SERVER_BACKENDS_CCI400_POLL_THREAD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"

namespace pmu::server {

// Thread-compatible. Destroying it ends the thread, after the call under way;
// not to be destroyed by the function itself.
class PollThread {
 public:
  // Two file descriptors.
  static constexpr int kDescriptors = 2;

  // `poll` returns after how many nanoseconds it wants to be called again;
  // 0: at once; negative: never. First called at once. RESOURCE_EXHAUSTED: no
  // descriptor left.
  static absl::StatusOr<std::unique_ptr<PollThread>> Start(std::function<int64_t()> poll);
  ~PollThread();
  PollThread(const PollThread&) = delete;
  PollThread& operator=(const PollThread&) = delete;

 private:
  PollThread(int timer_fd, int stop_fd, std::function<int64_t()> poll);
  void Run();
  // True: the time is over. False: to stop.
  bool Sleep(int64_t delay_ns);

  const int timer_fd_;
  const int stop_fd_;
  const std::function<int64_t()> poll_;
  std::thread thread_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_POLL_THREAD_H_
