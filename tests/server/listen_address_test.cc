#include "server/listen_address.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Good {
  const char* text;
  const char* host;
  int port;
  const char* unix_path;
};

TEST(ListenAddressTest, ParsesWhatIsDocumented) {
  const Good cases[] = {
      {"127.0.0.1:7", "127.0.0.1", 7, ""},
      {"localhost:65535", "localhost", 65535, ""},
      {"0.0.0.0:0", "0.0.0.0", 0, ""},
      {"lab1", "lab1", 50051, ""},
      {"[::1]:7", "::1", 7, ""},
      {"[::]", "::", 50051, ""},
      {"[fe80::1%eth0]:7", "fe80::1%eth0", 7, ""},
      {"unix:/run/a b.sock", "", 0, "/run/a b.sock"},
      {"unix:relative", "", 0, "relative"},
  };
  for (const Good& good : cases) {
    const absl::StatusOr<ListenAddress> address = ParseListenAddress(good.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->text, good.text);
    EXPECT_EQ(address->host, good.host) << good.text;
    EXPECT_EQ(address->port, good.port) << good.text;
    EXPECT_EQ(address->unix_path, good.unix_path) << good.text;
  }
}

TEST(ListenAddressTest, RefusesTheRestAndSaysWhatIsAccepted) {
  for (const char* bad : {"", ":7", "a:", "a:65536", "a:-1", "a:+1", "a: 1", "a:0x10", "a:1:2",
                          "::1", "::1:7", "[::1", "[::1]7", "[::1]:", "[1.2.3.4]:7", "[]:7",
                          "[zz]:7", "unix:", "a:99999999999999999999"}) {
    const absl::StatusOr<ListenAddress> address = ParseListenAddress(bad);
    ASSERT_FALSE(address.ok()) << bad;
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("HOST:PORT")) << bad;
  }
}

absl::StatusOr<std::vector<Endpoint>> Resolve(const char* text) {
  return ResolveListenAddress(ParseListenAddress(text).value());
}

TEST(ListenAddressTest, ResolvesNumbersToThemselves) {
  for (const char* text : {"127.0.0.1:7", "[::1]:50051", "0.0.0.0:1", "[::]:1"}) {
    const absl::StatusOr<std::vector<Endpoint>> endpoints = Resolve(text);
    ASSERT_TRUE(endpoints.ok()) << endpoints.status();
    ASSERT_THAT(*endpoints, SizeIs(1));
    EXPECT_EQ(EndpointText(endpoints->front()), text);
  }
}

TEST(ListenAddressTest, KnowsWhatOthersCanReach) {
  for (const char* text :
       {"127.0.0.1:7", "127.9.9.9:7", "[::1]:7", "unix:/x", "[::ffff:127.0.0.1]:7"}) {
    EXPECT_TRUE(Resolve(text).value().front().loopback) << text;
  }
  for (const char* text :
       {"0.0.0.0:7", "[::]:7", "10.0.0.1:7", "[fe80::1]:7", "128.0.0.1:7", "[::ffff:10.0.0.1]:7"}) {
    EXPECT_FALSE(Resolve(text).value().front().loopback) << text;
  }
}

TEST(ListenAddressTest, UnixPathsHaveALimit) {
  EXPECT_TRUE(Resolve(("unix:/" + std::string(106, 'a')).c_str()).ok());
  EXPECT_EQ(Resolve(("unix:/" + std::string(107, 'a')).c_str()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ListenAddressTest, UnknownHostsAreNamed) {
  const absl::Status status = Resolve("no-such-host.invalid:7").status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no-such-host.invalid"));
}

}  // namespace
}  // namespace pmu::server
