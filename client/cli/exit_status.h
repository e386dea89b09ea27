// exit_status.h: the one table of pmuctl's exit statuses.
//
// A wrapped command's own status comes first: a script that ran the command
// without pmuctl sees the same status with it. pmuctl's own statuses are those
// that env(1), timeout(1) and the shell leave to wrappers (125 to 127), and
// 122 and 123 below them. Pure; safe from any thread.
#ifndef PMU_CLIENT_CLI_EXIT_STATUS_H_
#define PMU_CLIENT_CLI_EXIT_STATUS_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"

namespace pmu::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitIncomplete = 122;
inline constexpr int kExitNotEnough = 123;
inline constexpr int kExitUsage = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// How a measurement went.
struct Outcome {
  // What the wrapped command ended with, 128 + n for signal n; unset without
  // a command.
  absl::optional<int> command_status = absl::nullopt;
  // The signal (Ctrl-C: SIGINT) that ended the measurement early; 0: none did.
  int interrupted_by = 0;
  // As many hosts as --min-hosts asks for were measured, with a number at all.
  bool enough = true;
  // Nothing is missing: no host, no counter.
  bool complete = true;
  bool strict = false;

  // What is to be said of this and another measurement together.
  void MakeWorse(const Outcome& other);
};

// By precedence: a command that failed, not enough, interrupted, incomplete.
int ExitStatusOf(const Outcome& outcome);

// Of `pmuctl hosts` and `pmuctl list`: how many of the hosts answered.
int ExitStatusOfAnswers(size_t answered_count, size_t host_count);

// The table, for --help.
std::string ExitStatusHelp();

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_EXIT_STATUS_H_
