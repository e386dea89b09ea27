// progress.h: one line on a terminal that says what is going on.
//
// Rewritten in place and removed at the end. Thread-safe.
#ifndef PMU_CLIENT_CLI_PROGRESS_H_
#define PMU_CLIENT_CLI_PROGRESS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/measurement.h"

namespace pmu::cli {

// "connecting 3/8", "running 3.2 of 5.0 s". Pure.
std::string ProgressText(client::Phase phase, int64_t done, int64_t total);

class Progress {
 public:
  // `file` is not owned. Not enabled: does nothing.
  Progress(std::FILE* file, bool enabled) : file_(file), enabled_(enabled) {}
  ~Progress() { Clear(); }

  // Put before what Update shows from now on.
  void SetPrefix(std::string prefix);
  void Update(client::Phase phase, int64_t done, int64_t total);
  // Removes the line until the next Update.
  void Hide();
  // Removes the line. Nothing is drawn afterwards.
  void Clear();

 private:
  void Draw(const std::string& text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::FILE* const file_;
  absl::Mutex mutex_;
  bool enabled_ ABSL_GUARDED_BY(mutex_);
  std::string prefix_ ABSL_GUARDED_BY(mutex_);
  std::string shown_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_PROGRESS_H_
