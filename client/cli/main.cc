// pmuctl: one synchronized measurement over many hosts.
#include "absl/synchronization/mutex.h"
#include "client/cli/commands.h"
#include "common/standard_streams.h"

int main(int argc, char** argv) {
  pmu::ReserveStandardStreams();
  // Debian's Abseil looks for deadlocks at every lock; the tests' sanitizers do so
  // for us.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // No setlocale(3): output is the same in every locale.
  return pmu::cli::PmuctlMain(std::vector<std::string>(argv + 1, argv + argc),
                              pmu::cli::SystemEnvironment());
}
