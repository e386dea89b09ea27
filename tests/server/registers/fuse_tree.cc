#include "tests/server/registers/fuse_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pmu::server {
namespace {

std::string ServerPath() {
  const char* const runfiles = getenv("TEST_SRCDIR");
  const char* const workspace = getenv("TEST_WORKSPACE");
  if (runfiles == nullptr || workspace == nullptr) return "tests/server/registers/fuse_msr";
  return std::string(runfiles) + "/" + workspace + "/tests/server/registers/fuse_msr";
}

// In the child: becomes the server.
[[noreturn]] void RunServer(const std::string& mount_point, const std::vector<std::string>& specs,
                            int ready_fd) {
  const std::string path = ServerPath();
  std::vector<char*> arguments = {const_cast<char*>(path.c_str()),
                                  const_cast<char*>(mount_point.c_str())};
  for (const std::string& spec : specs) arguments.push_back(const_cast<char*>(spec.c_str()));
  arguments.push_back(nullptr);
  dup2(ready_fd, STDOUT_FILENO);
  execv(path.c_str(), arguments.data());
  _exit(127);
}

}  // namespace

std::string FuseTree::WhyNot() {
  const int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fd < 0) return std::string("/dev/fuse: ") + strerror(errno);
  close(fd);
  return geteuid() == 0 ? "" : "needs root to mount a file system";
}

FuseTree::FuseTree(const std::vector<std::string>& specs)
    : mount_point_(tree_.root() + "/dev/cpu") {
  tree_.MakeDirectory("/dev/cpu");
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return;
  server_ = fork();
  if (server_ == 0) RunServer(mount_point_, specs, ready[1]);
  close(ready[1]);
  char byte;
  serves_ = server_ > 0 && read(ready[0], &byte, 1) == 1;
  close(ready[0]);
}

FuseTree::~FuseTree() {
  if (serves_) umount2(mount_point_.c_str(), MNT_DETACH);
  if (server_ <= 0) return;
  kill(server_, SIGTERM);
  waitpid(server_, nullptr, 0);
}

}  // namespace pmu::server
