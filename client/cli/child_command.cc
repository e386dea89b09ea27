#include "client/cli/child_command.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::cli {
namespace {

// Runs in the child: waits for the word, executes, reports a failure.
[[noreturn]] void WaitAndExecute(char* const* argv, const sigset_t& signal_mask, int socket) {
  char go = 0;
  ssize_t size;
  do {
    size = recv(socket, &go, 1, 0);
  } while (size < 0 && errno == EINTR);
  if (size != 1) _exit(0);  // Not wanted any more.
  sigprocmask(SIG_SETMASK, &signal_mask, nullptr);
  execvp(argv[0], argv);
  const int error = errno;
  send(socket, &error, sizeof(error), MSG_NOSIGNAL);
  _exit(127);
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 0;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildCommand>> ChildCommand::Prepare(std::vector<std::string> argv,
                                                                    const sigset_t& signal_mask) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (std::string& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    close(sockets[0]);
    close(sockets[1]);
    return absl::ErrnoToStatus(error, absl::StrCat("fork for command ", argv[0]));
  }
  if (pid == 0) {
    close(sockets[0]);
    WaitAndExecute(pointers.data(), signal_mask, sockets[1]);
  }
  close(sockets[1]);
  return std::unique_ptr<ChildCommand>(new ChildCommand(argv[0], pid, sockets[0]));
}

ChildCommand::~ChildCommand() {
  if (socket_ >= 0) close(socket_);
  if (!reaped_) WaitFor(pid_);
}

absl::Status ChildCommand::Start() {
  const char go = 1;
  // A child that a signal has ended meanwhile shows in Wait.
  send(socket_, &go, 1, MSG_NOSIGNAL);
  int error = 0;
  ssize_t size;
  do {
    size = recv(socket_, &error, sizeof(error), 0);
  } while (size < 0 && errno == EINTR);
  close(std::exchange(socket_, -1));
  // The socket closes on exec: nothing to read means that it happened.
  if (size != sizeof(error)) return absl::OkStatus();
  if (error == ENOENT) {
    return absl::NotFoundError(absl::StrCat("command not found: ", name_));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot execute ", name_, ": ", absl::string_view(absl::ErrnoToStatus(error, "").message())));
}

int ChildCommand::Wait() {
  const int status = WaitFor(pid_);
  reaped_ = true;
  return status;
}

void ChildCommand::Signal(int signal) const { kill(pid_, signal); }

}  // namespace pmu::cli
