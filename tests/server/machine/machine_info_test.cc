#include "server/machine/machine_info.h"

#include <sys/utsname.h>

#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

TEST(MachineInfoTest, ReadsARecordedMachine) {
  ScratchTree tree;
  tree.CopyFrom("tests/cases/sysfs/skx-2s36c");
  tree.Write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU @ 2.0GHz\n");
  tree.Write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  tree.Write("/proc/sys/kernel/ostype", "Linux\n");
  tree.Write("/proc/sys/kernel/random/boot_id", "5b8e9c1c-0000-4000-8000-000000000001\n");

  const MachineInfo info = ReadMachineInfo(tree.root());

  EXPECT_EQ(info.cpu_model, "Example CPU @ 2.0GHz");
  EXPECT_EQ(info.kernel_release, "6.1.0-18-amd64");
  EXPECT_EQ(info.os, "Linux");
  EXPECT_EQ(info.boot_id, "5b8e9c1c-0000-4000-8000-000000000001");
  EXPECT_EQ(FormatCpuList(info.online_cpus), "0-35");
  EXPECT_EQ(info.package_count, 2);
  EXPECT_EQ(info.perf_event_paranoid, absl::optional<int>(2));
}

TEST(MachineInfoTest, NothingReadableIsEmptyNotAnError) {
  ScratchTree tree;

  const MachineInfo info = ReadMachineInfo(tree.root());

  EXPECT_EQ(info.cpu_model, "");
  EXPECT_TRUE(info.online_cpus.empty());
  EXPECT_EQ(info.package_count, 0);
  EXPECT_FALSE(info.perf_event_paranoid.has_value());
}

TEST(MachineInfoTest, LiveMachineKnowsItself) {
  utsname name = {};
  ASSERT_EQ(uname(&name), 0);

  const MachineInfo info = ReadMachineInfo("");

  EXPECT_EQ(info.kernel_release, name.release);
  EXPECT_EQ(info.machine, name.machine);
  EXPECT_FALSE(info.hostname.empty());
  EXPECT_FALSE(info.boot_id.empty());
  EXPECT_FALSE(info.online_cpus.empty());
}

TEST(MachineInfoTest, ParanoidMayBeNegative) {
  ScratchTree tree;
  tree.Write("/proc/sys/kernel/perf_event_paranoid", "-1\n");

  EXPECT_EQ(ReadPerfEventParanoid(tree.root()), absl::optional<int>(-1));
}

TEST(MachineInfoTest, ArmCoresByPart) {
  constexpr char kBigLittle[] =
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n"
      "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd07\n"
      "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd07\n";

  EXPECT_EQ(CpuModelOf(kBigLittle), "Cortex-A53 + Cortex-A57");
  EXPECT_EQ(CpuModelOf("CPU implementer\t: 0x99\nCPU part\t: 0x123\n"),
            "implementer 0x99 part 0x123");
  EXPECT_EQ(CpuModelOf("nothing of use"), "");
}

}  // namespace
}  // namespace pmu::server
