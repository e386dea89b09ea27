#include "client/cli/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace pmu::cli {

Interrupts::Interrupts() {
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup(1) and shells' background jobs ignore some: so do we.
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&watched_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &original_mask_);
  signal_fd_ = signalfd(-1, &watched_, SFD_CLOEXEC);
  stop_fd_ = eventfd(0, EFD_CLOEXEC);
}

Interrupts::~Interrupts() {
  if (thread_.joinable()) {
    eventfd_write(stop_fd_, 1);
    thread_.join();
  }
  close(signal_fd_);
  close(stop_fd_);
  pthread_sigmask(SIG_SETMASK, &original_mask_, nullptr);
}

void Interrupts::OnFirst(Handler handler) {
  thread_ = std::thread([this, handler = std::move(handler)] { Run(handler); });
}

int Interrupts::first_signal() const {
  absl::MutexLock lock(&mutex_);
  return first_signal_;
}

void Interrupts::Run(const Handler& handler) {
  std::array<pollfd, 2> waits = {{{signal_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}}};
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0) return;
    signalfd_siginfo info = {};
    if (read(signal_fd_, &info, sizeof(info)) != sizeof(info)) continue;
    const int signal = static_cast<int>(info.ssi_signo);
    {
      absl::MutexLock lock(&mutex_);
      if (first_signal_ != 0) {
        // The shell's prompt goes below a line of progress.
        if (isatty(STDERR_FILENO) == 1) (void)!write(STDERR_FILENO, "\n", 1);
        _exit(128 + signal);
      }
      first_signal_ = signal;
    }
    handler(signal, info.ssi_code == SI_KERNEL);
  }
}

}  // namespace pmu::cli
