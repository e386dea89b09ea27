// child_command.h: the local command that a measurement is wrapped around.
//
// The child is forked before there are threads and waits; Start lets it
// execute. It stays in the foreground process group, so the terminal's Ctrl-C
// reaches it too, and its standard streams are ours.
// Order: Prepare, then Start and Wait, each once. Destroyed unstarted, the
// child ends without having executed anything.
// Start and Wait may be called from different threads, one after the other.
#ifndef PMU_CLIENT_CLI_CHILD_COMMAND_H_
#define PMU_CLIENT_CLI_CHILD_COMMAND_H_

#include <signal.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pmu::cli {

class ChildCommand {
 public:
  // `argv` must not be empty; argv[0] is looked up in PATH. The command gets
  // `signal_mask`. Errors: what fork(2) or socketpair(2) said.
  static absl::StatusOr<std::unique_ptr<ChildCommand>> Prepare(std::vector<std::string> argv,
                                                               const sigset_t& signal_mask);
  ~ChildCommand();
  ChildCommand(const ChildCommand&) = delete;
  ChildCommand& operator=(const ChildCommand&) = delete;

  // Returns when the command has been executed. NOT_FOUND: there is none;
  // FAILED_PRECONDITION: it cannot be executed.
  absl::Status Start();

  // Blocks until the command has ended. Its exit status, or 128 + n when
  // signal n ended it.
  int Wait();

  // For handing on signals that were sent to us alone.
  void Signal(int signal) const;

 private:
  ChildCommand(std::string name, pid_t pid, int socket)
      : name_(std::move(name)), pid_(pid), socket_(socket) {}

  const std::string name_;
  const pid_t pid_;
  int socket_;  // to the child until it has executed; -1 afterwards
  bool reaped_ = false;
};

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_CHILD_COMMAND_H_
