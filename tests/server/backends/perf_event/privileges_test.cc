#include "server/backends/perf_event/privileges.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

TEST(PrivilegesTest, ReadsCapabilitiesAndSeccomp) {
  ScratchTree tree;
  tree.Write("/proc/sys/kernel/perf_event_paranoid", "3\n");
  tree.Write("/proc/self/status", "Name:\tpmud\nCapEff:\t0000004000000000\nSeccomp:\t2\n");

  const Privileges privileges = ReadPrivileges(tree.root());

  EXPECT_EQ(privileges.paranoid, absl::optional<int>(3));
  EXPECT_TRUE(privileges.perfmon_capable);
  EXPECT_TRUE(privileges.seccomp_filtered);
}

TEST(PrivilegesTest, SysAdminIsEnoughAndNothingIsNot) {
  ScratchTree tree;
  tree.Write("/proc/self/status", "CapEff:\t0000000000200000\nSeccomp:\t0\n");
  EXPECT_TRUE(ReadPrivileges(tree.root()).perfmon_capable);

  tree.Write("/proc/self/status", "CapEff:\t0000000000000001\n");
  const Privileges none = ReadPrivileges(tree.root());
  EXPECT_FALSE(none.perfmon_capable);
  EXPECT_FALSE(none.seccomp_filtered);
  EXPECT_FALSE(none.paranoid.has_value());
}

TEST(PrivilegesTest, AdviceNamesWhatStandsInTheWay) {
  Privileges privileges;
  privileges.paranoid = 4;

  EXPECT_TRUE(absl::StrContains(PermissionAdvice(privileges, 0), "perf_event_paranoid is 4"));
  EXPECT_TRUE(absl::StrContains(PermissionAdvice(privileges, 0), "setcap cap_perfmon+ep"));
  EXPECT_TRUE(absl::StrContains(PermissionAdvice(privileges, -1), "perf_event_paranoid=-1"));
  EXPECT_FALSE(absl::StrContains(PermissionAdvice(privileges, 0), "seccomp"));
}

// Lowering a level that is low enough would not help.
TEST(PrivilegesTest, AdviceDoesNotNameALevelThatHolds) {
  Privileges privileges;
  privileges.paranoid = 0;

  EXPECT_FALSE(absl::StrContains(PermissionAdvice(privileges, 1), "sysctl"));
}

}  // namespace
}  // namespace pmu::server
