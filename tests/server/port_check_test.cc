#include "server/port_check.h"

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/file_descriptor.h"
#include "tests/server/socket_directory.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

Endpoint EndpointFor(const std::string& text) {
  return ResolveListenAddress(ParseListenAddress(text).value()).value().front();
}

// Somebody who listens on a free port of `host`, SO_REUSEPORT and all.
class Listener {
 public:
  explicit Listener(const std::string& host) {
    const Endpoint endpoint = EndpointFor(host + ":0");
    fd_ = FileDescriptor(socket(endpoint.address.ss_family, SOCK_STREAM, 0));
    const int yes = 1;
    setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes));
    Endpoint bound;
    bound.address_bytes = sizeof(bound.address);
    auto* address = reinterpret_cast<sockaddr*>(&bound.address);
    listens_ = bind(fd_.get(), reinterpret_cast<const sockaddr*>(&endpoint.address),
                    endpoint.address_bytes) == 0 &&
               listen(fd_.get(), 1) == 0 &&
               getsockname(fd_.get(), address, &bound.address_bytes) == 0;
    const std::string text = EndpointText(bound);
    port_ = text.substr(text.rfind(':') + 1);
  }

  bool listens() const { return listens_; }
  const std::string& port() const { return port_; }

 private:
  FileDescriptor fd_;
  bool listens_ = false;
  std::string port_;
};

TEST(PortCheckTest, AFreePortIsFree) { EXPECT_TRUE(CheckFree(EndpointFor("127.0.0.1:0")).ok()); }

TEST(PortCheckTest, OverlappingListenersAreFoundInEitherOrder) {
  const struct {
    const char* first;
    const char* second;
  } cases[] = {
      {"127.0.0.1", "127.0.0.1"}, {"0.0.0.0", "127.0.0.1"}, {"127.0.0.1", "0.0.0.0"},
      {"0.0.0.0", "0.0.0.0"},     {"127.0.0.1", "[::]"},    {"[::]", "127.0.0.1"},
      {"[::]", "0.0.0.0"},
  };
  for (const auto& [first, second] : cases) {
    const Listener listener(first);
    if (!listener.listens() && std::string(first) == "[::]") continue;  // no IPv6 here
    ASSERT_TRUE(listener.listens()) << first;

    const absl::Status status = CheckFree(EndpointFor(absl::StrCat(second, ":", listener.port())));

    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << first << " " << second;
    EXPECT_THAT(std::string(status.message()), HasSubstr(listener.port()));
  }
}

TEST(PortCheckTest, DifferentAddressesMayShareAPort) {
  const Listener listener("127.0.0.1");

  EXPECT_TRUE(CheckFree(EndpointFor("127.0.0.2:" + listener.port())).ok());
}

TEST(PortCheckTest, AnAddressOfAnotherMachineIsNamed) {
  const absl::Status status = CheckFree(EndpointFor("192.0.2.1:0"));

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("192.0.2.1"));
}

class UnixPortCheckTest : public ::testing::Test {
 protected:
  // Binds a socket to path_, listening or not.
  FileDescriptor Bind(bool listening) {
    const Endpoint endpoint = EndpointFor("unix:" + path_);
    FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&endpoint.address),
                   endpoint.address_bytes),
              0);
    if (listening) {
      EXPECT_EQ(listen(fd.get(), 1), 0);
    }
    return fd;
  }

  bool Exists() const { return access(path_.c_str(), F_OK) == 0; }

  const SocketDirectory directory_;
  const std::string path_ = directory_.socket_path();
};

TEST_F(UnixPortCheckTest, NoFileIsFree) {
  EXPECT_TRUE(CheckFree(EndpointFor("unix:" + path_)).ok());
}

TEST_F(UnixPortCheckTest, ASocketThatAnswersIsInUseAndStays) {
  const FileDescriptor listener = Bind(true);

  EXPECT_EQ(CheckFree(EndpointFor("unix:" + path_)).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Exists());
}

TEST_F(UnixPortCheckTest, ASocketLeftBehindIsRemoved) {
  { const FileDescriptor gone = Bind(true); }
  ASSERT_TRUE(Exists());

  EXPECT_TRUE(CheckFree(EndpointFor("unix:" + path_)).ok());
  EXPECT_FALSE(Exists());
}

TEST_F(UnixPortCheckTest, AFileThatIsNoSocketStays) {
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);

  EXPECT_EQ(CheckFree(EndpointFor("unix:" + path_)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Exists());
}

}  // namespace
}  // namespace pmu::server
