// socket_directory.h: a directory for unix sockets. Tests only.
//
// The test's own temporary directory has too long a path for a socket, which
// may have 107 bytes. Removed, with the socket "s" in it, in the end.
#ifndef PMU_TESTS_SERVER_SOCKET_DIRECTORY_H_
#define PMU_TESTS_SERVER_SOCKET_DIRECTORY_H_

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace pmu::server {

class SocketDirectory {
 public:
  SocketDirectory() {
    char path[] = "/tmp/pmu-XXXXXX";
    if (mkdtemp(path) != nullptr) path_ = path;
  }
  ~SocketDirectory() {
    // Whichever of the two it is.
    unlink(socket_path().c_str());
    rmdir(socket_path().c_str());
    rmdir(path_.c_str());
  }
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;

  std::string socket_path() const { return path_ + "/s"; }

 private:
  std::string path_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_SOCKET_DIRECTORY_H_
