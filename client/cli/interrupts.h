// interrupts.h: what Ctrl-C does.
//
// Construct before other threads exist: SIGINT, SIGTERM and SIGHUP are blocked
// then, in this and all later threads, and taken by a thread of its own. The
// first one calls the handler given to OnFirst; the second ends the process at
// once with 128 + its number. The destructor restores the mask.
// Thread-safe.
#ifndef PMU_CLIENT_CLI_INTERRUPTS_H_
#define PMU_CLIENT_CLI_INTERRUPTS_H_

#include <signal.h>

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace pmu::cli {

class Interrupts {
 public:
  // `from_terminal`: the kernel sent it (Ctrl-C), to the whole process group;
  // otherwise a process sent it, to us.
  using Handler = std::function<void(int signal, bool from_terminal)>;

  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // The mask before, for child processes.
  const sigset_t& original_mask() const { return original_mask_; }

  // Starts the thread. Call once, after all forks. `handler` runs in that
  // thread, also for a signal that came before.
  void OnFirst(Handler handler);

  // The first signal that came, or 0.
  int first_signal() const;

 private:
  void Run(const Handler& handler);

  sigset_t watched_;
  sigset_t original_mask_;
  int signal_fd_ = -1;
  int stop_fd_ = -1;
  mutable absl::Mutex mutex_;
  int first_signal_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_INTERRUPTS_H_
