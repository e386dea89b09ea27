#include "tests/integration/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace pmu::integration {
namespace {

std::string MakeDirectory() {
  const char* base = getenv("TEST_TMPDIR");
  std::string path = absl::StrCat(base != nullptr ? base : "/tmp", "/pmu-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) abort();
  return path;
}

void RedirectTo(int fd, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, fd);
  close(file);
}

}  // namespace

std::unique_ptr<Process> Process::Start(const std::vector<std::string>& argv) {
  auto process = std::unique_ptr<Process>(new Process);
  process->directory_ = MakeDirectory();
  std::vector<char*> raw;
  for (const std::string& argument : argv) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  const std::string out = absl::StrCat(process->directory_, "/out");
  const std::string err = absl::StrCat(process->directory_, "/err");
  process->pid_ = fork();
  if (process->pid_ == 0) {
    RedirectTo(STDOUT_FILENO, out);
    RedirectTo(STDERR_FILENO, err);
    execvp(raw[0], raw.data());
    _exit(127);
  }
  return process;
}

Process::~Process() {
  if (Running()) {
    Signal(SIGKILL);
    Reap(true);
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

bool Process::Reap(bool block) {
  if (!reaped_) reaped_ = waitpid(pid_, &wait_status_, block ? 0 : WNOHANG) == pid_;
  return reaped_;
}

bool Process::Running() { return !Reap(false); }

void Process::Signal(int signal) {
  if (!reaped_) kill(pid_, signal);
}

Finished Process::Wait(absl::Duration limit) {
  if (!WaitUntil([this] { return !Running(); }, limit)) {
    Signal(SIGKILL);
    Reap(true);
  }
  Finished finished;
  finished.status =
      WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  finished.out = Out();
  finished.err = Err();
  return finished;
}

std::string Process::Out() const { return ReadFile(absl::StrCat(directory_, "/out")); }
std::string Process::Err() const { return ReadFile(absl::StrCat(directory_, "/err")); }

Finished RunProcess(const std::vector<std::string>& argv, absl::Duration limit) {
  return Process::Start(argv)->Wait(limit);
}

ScratchDirectory::ScratchDirectory() : path_(MakeDirectory()) {}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace pmu::integration
