// silent_peer.h: a TCP port that accepts connections and never says anything.
// Tests only. Thread-compatible.
#ifndef PMU_TESTS_CLIENT_SILENT_PEER_H_
#define PMU_TESTS_CLIENT_SILENT_PEER_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace pmu::client {

class SilentPeer {
 public:
  SilentPeer() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    // The kernel completes connections by itself up to the backlog.
    EXPECT_EQ(listen(fd_, 16), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentPeer() { close(fd_); }
  SilentPeer(const SilentPeer&) = delete;
  SilentPeer& operator=(const SilentPeer&) = delete;

  const std::string& address() const { return address_; }

 private:
  const int fd_;
  std::string address_;
};

}  // namespace pmu::client

#endif  // PMU_TESTS_CLIENT_SILENT_PEER_H_
