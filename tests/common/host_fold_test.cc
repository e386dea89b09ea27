#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/host_list.h"
#include "gtest/gtest.h"

namespace pmu {
namespace {

using Hosts = std::vector<std::string>;

Hosts Sorted(Hosts hosts) {
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

TEST(HostFoldTest, FoldsNumbersAndKeepsPadding) {
  EXPECT_EQ(FoldHostList({}), "");
  EXPECT_EQ(FoldHostList({"a"}), "a");
  EXPECT_EQ(FoldHostList({"n01", "n02", "n03", "b"}), "n[01-03],b");
  EXPECT_EQ(FoldHostList({"n7", "n07"}), "n[7,07]");
  EXPECT_EQ(FoldHostList({"a09", "a10"}), "a[09-10]");
  EXPECT_EQ(FoldHostList({"a9", "a10", "a11"}), "a[9-11]");
  EXPECT_EQ(FoldHostList({"n098", "n099", "n100", "n101", "n7"}), "n[7,098-101]");
  EXPECT_EQ(FoldHostList({"n1", "n3", "n2", "n1"}), "n[1-3]");
  EXPECT_EQ(FoldHostList({"n0", "n00", "n1"}), "n[0-1,00]");
}

TEST(HostFoldTest, FoldsEveryPlaceThatIsAProduct) {
  EXPECT_EQ(FoldHostList({"rack1n1", "rack1n2", "rack2n1", "rack2n2", "rack3n1"}),
            "rack[1-2]n[1-2],rack3n1");
  EXPECT_EQ(FoldHostList({"n1-eth0", "n2-eth0"}), "n[1-2]-eth0");
  EXPECT_EQ(FoldHostList({"n1:7", "n2:7", "n3:8"}), "n[1-2]:7,n3:8");
  EXPECT_EQ(FoldHostList({"10.0.0.1", "10.0.0.2"}), "10.0.0.[1-2]");
}

TEST(HostFoldTest, LeavesAddressesAndPathsAlone) {
  EXPECT_EQ(FoldHostList({"[fe80::1]:7", "[fe80::2]:7", "unix:/a1", "unix:/a2"}),
            "[fe80::1]:7,[fe80::2]:7,unix:/a1,unix:/a2");
}

TEST(HostFoldTest, NumbersTooLongForARangeAreText) {
  const Hosts hosts = {"n1234567890123456789", "n1234567890123456790", "n999999999999999999"};
  EXPECT_EQ(FoldHostList(hosts), "n1234567890123456789,n1234567890123456790,n999999999999999999");
  EXPECT_EQ(ParseHostList(FoldHostList(hosts))->hosts, hosts);
}

// Names built from few parts, so that they meet and fold in every way.
TEST(HostFoldTest, ParsingUndoesFolding) {
  std::minstd_rand random(5);
  const auto pick = [&random](std::vector<const char*> choices) {
    return choices[random() % choices.size()];
  };
  for (int round = 0; round < 400; ++round) {
    Hosts hosts;
    const size_t count = 1 + random() % 40;
    for (size_t i = 0; i < count; ++i) {
      std::string host = pick({"n", "rack", "", "x-"});
      for (int part = 0; part < 3; ++part) {
        absl::StrAppend(&host, pick({"0", "00", ""}), 1 + random() % 12, pick({"", "n", ".", "-"}));
      }
      absl::StrAppend(&host, "z", pick({"", ":1", ":2", ":50051"}));
      hosts.push_back(host);
    }
    const std::string folded = FoldHostList(hosts);
    hosts = Sorted(hosts);
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());

    const absl::StatusOr<HostList> list = ParseHostList(folded);

    ASSERT_TRUE(list.ok()) << folded << ": " << list.status();
    EXPECT_EQ(Sorted(list->hosts), hosts) << folded;
    EXPECT_TRUE(list->duplicates.empty()) << folded;
  }
}

TEST(HostFoldTest, ThousandsOfHosts) {
  const Hosts in_order = ParseHostList("rack[01-64]n[001-256]")->hosts;
  ASSERT_EQ(in_order.size(), kMaxHosts);
  EXPECT_EQ(FoldHostList(in_order), "rack[01-64]n[001-256]");

  Hosts shuffled = in_order;
  std::shuffle(shuffled.begin(), shuffled.end(), std::minstd_rand(3));
  EXPECT_EQ(Sorted(ParseHostList(FoldHostList(shuffled))->hosts), in_order);

  // The order of a list in order survives.
  EXPECT_EQ(ParseHostList(FoldHostList(in_order))->hosts, in_order);
}

}  // namespace
}  // namespace pmu
