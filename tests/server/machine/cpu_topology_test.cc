#include "server/machine/cpu_topology.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr char kCases[] = "tests/cases/sysfs/";

TEST(CpuTopologyTest, OnlineHasHolesAndIsNotPossible) {
  const std::string root = std::string(kCases) + "offline-cpus";

  const CpuList online = *ReadOnlineCpus(root);

  EXPECT_EQ(FormatCpuList(online), "0-11,16-27");
  EXPECT_EQ(online.size(), 24u);
  EXPECT_EQ(ReadPossibleCpus(root)->size(), 128u);
}

TEST(CpuTopologyTest, BadOnlineFileIsNamed) {
  ScratchTree tree;
  tree.Write("/sys/devices/system/cpu/online", "3-1\n");

  const absl::Status status = ReadOnlineCpus(tree.root()).status();

  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "/sys/devices/system/cpu/online")) << status;
}

TEST(CpuTopologyTest, EmptyOnlineFileIsAnError) {
  ScratchTree tree;
  tree.Write("/sys/devices/system/cpu/online", "\n");

  EXPECT_TRUE(absl::IsFailedPrecondition(ReadOnlineCpus(tree.root()).status()));
}

TEST(CpuTopologyTest, PackagesOfTheCpusThatSay) {
  const std::string root = std::string(kCases) + "skx-2s36c";

  const auto packages = ReadPackageIds(root, *ReadOnlineCpus(root));

  EXPECT_THAT(packages, ElementsAre(Pair(0, 0), Pair(17, 0), Pair(18, 1), Pair(35, 1)));
  EXPECT_EQ(CountPackages(packages), 2);
}

TEST(CpuTopologyTest, UnknownPackageIsLeftOut) {
  ScratchTree tree;
  tree.Write("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");
  tree.Write("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "junk\n");

  EXPECT_EQ(CountPackages(ReadPackageIds(tree.root(), {0, 1, 2})), 0);
}

}  // namespace
}  // namespace pmu::server
