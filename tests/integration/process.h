// process.h: child processes of integration tests.
//
// Thread-compatible. A Process that is still running when destroyed is killed
// and reaped, so a failing test leaves nothing behind.
#ifndef PMU_TESTS_INTEGRATION_PROCESS_H_
#define PMU_TESTS_INTEGRATION_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace pmu::integration {

// What a finished process left. `status` is the exit status, or 128 + signal.
struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};

class Process {
 public:
  // Starts `argv` (argv[0] is searched in PATH) with its output going to files.
  static std::unique_ptr<Process> Start(const std::vector<std::string>& argv);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool Running();
  void Signal(int signal);
  // Waits for the end; kills it after `limit` (status 137 then).
  Finished Wait(absl::Duration limit = absl::Seconds(60));
  // Output so far.
  std::string Out() const;
  std::string Err() const;

 private:
  Process() = default;
  bool Reap(bool block);

  pid_t pid_ = -1;
  bool reaped_ = false;
  int wait_status_ = 0;
  std::string directory_;
};

// Start and Wait.
Finished RunProcess(const std::vector<std::string>& argv, absl::Duration limit = absl::Seconds(60));

// Waits until `done()`; false when it is not within `limit`. For events of
// other processes only.
template <typename Predicate>
bool WaitUntil(Predicate done, absl::Duration limit = absl::Seconds(20)) {
  const absl::Time deadline = absl::Now() + limit;
  while (!done()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

// A new empty directory, for this test only; removed when the test ends.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);

}  // namespace pmu::integration

#endif  // PMU_TESTS_INTEGRATION_PROCESS_H_
