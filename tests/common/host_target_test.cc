#include "absl/strings/string_view.h"
#include "common/host_list.h"
#include "gtest/gtest.h"

namespace pmu {
namespace {

TEST(HostTargetTest, EveryKindOfHost) {
  const struct {
    const char* host;
    const char* target;
  } kTargets[] = {
      {"a", "dns:///a:50051"},
      {"node-01.lab_2.example:7", "dns:///node-01.lab_2.example:7"},
      {"7", "dns:///7:50051"},
      {"10.0.0.1", "ipv4:10.0.0.1:50051"},
      {"10.0.0.1:65535", "ipv4:10.0.0.1:65535"},
      {"[::1]", "ipv6:[::1]:50051"},
      {"[::1]:7", "ipv6:[::1]:7"},
      {"[2001:db8::ff]:1", "ipv6:[2001:db8::ff]:1"},
      {"[fe80::1%eth0]:7", "ipv6:[fe80::1%25eth0]:7"},
      {"unix:/run/pmud.sock", "unix:/run/pmud.sock"},
      {"unix:pmud.sock", "unix:pmud.sock"},
  };
  for (const auto& item : kTargets) {
    const absl::StatusOr<std::string> target = HostTarget(item.host);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(*target, item.target);
  }
}

TEST(HostTargetTest, BadHosts) {
  const struct {
    const char* host;
    const char* message;
  } kErrors[] = {
      {"", "host \"\": the name is missing"},
      {":7", "host \":7\": the name is missing"},
      {"a:", "host \"a:\": \":\" is no port; write :1 to :65535"},
      {"a:65536", "host \"a:65536\": \":65536\" is no port; write :1 to :65535"},
      {"a:-1", "host \"a:-1\": \":-1\" is no port; write :1 to :65535"},
      {"a:80x", "host \"a:80x\": \":80x\" is no port; write :1 to :65535"},
      {"a/b", "host \"a/b\": character \"/\" cannot stand in a name"},
      {"::1", "host \"::1\": the name is missing"},
      {"fe80::1", "host \"fe80::1\": more than one ':'; an IPv6 address stands in brackets, [::1]"},
      {"[::1", "host \"[::1\": ']' is missing after '['"},
      {"[::g]", "host \"[::g]\": \"::g\" is no IPv6 address"},
      {"[1.2.3.4]", "host \"[1.2.3.4]\": \"1.2.3.4\" is no IPv6 address"},
      {"[::1%]", "host \"[::1%]\": \"::1%\" is no IPv6 address"},
      {"[::1%e/0]", "host \"[::1%e/0]\": \"::1%e/0\" is no IPv6 address"},
      {"[::1]7", "host \"[::1]7\": \"7\" is no port; write :1 to :65535"},
      {"10.0.0.256", "host \"10.0.0.256\": four numbers with dots, but no IPv4 address"},
      {"unix:", "host \"unix:\": the socket's path must have 1 to 107 bytes"},
  };
  for (const auto& item : kErrors) {
    const absl::Status status = HostTarget(item.host).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << item.host;
    EXPECT_EQ(status.message(), item.message);
  }
}

TEST(HostTargetTest, SocketPathsHaveTheKernelsLimit) {
  EXPECT_TRUE(HostTarget("unix:" + std::string(107, 'x')).ok());
  EXPECT_FALSE(HostTarget("unix:" + std::string(108, 'x')).ok());
}

}  // namespace
}  // namespace pmu
