// Processes and cgroups, on a scripted kernel.
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "common/event_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"
#include "tests/server/backends/perf_event/fake_kernel_test.h"

namespace pmu::server {
namespace {

class TaskCountingTest : public FakeKernelTest {
 protected:
  TaskCountingTest() {
    tree_.CopyFrom("tests/cases/sysfs/skx-2s36c");
    tree_.MakeDirectory("/proc/4711/task/4711");
    tree_.MakeDirectory("/proc/4711/task/4712");
    UseTree(tree_.root());
  }

  ScratchTree tree_;
};

CounterTarget Process(pid_t pid) {
  CounterTarget target;
  target.pid = pid;
  return target;
}

TEST_F(TaskCountingTest, FollowsEveryThreadAndItsChildren) {
  const auto set = TryOpen("{cycles,instructions}", Process(4711));

  ASSERT_TRUE(set.ok()) << set.status();
  const std::vector<Event> opened = syscalls_.opened();
  ASSERT_EQ(opened.size(), 4u);
  EXPECT_EQ(opened[0].pid, 4711);
  EXPECT_EQ(opened[0].cpu, -1);
  EXPECT_TRUE(opened[0].attr.inherit);
  EXPECT_EQ(opened[2].pid, 4712);
  EXPECT_EQ((*set)->slots()[0].tid, 4711);
  EXPECT_EQ((*set)->slots()[1].tid, 4712);
}

TEST_F(TaskCountingTest, UncoreEventsStaySystemWide) {
  const auto set = TryOpen("page-faults,uncore_imc_0/clockticks/", Process(4711));

  ASSERT_TRUE(set.ok()) << set.status();
  const std::vector<Event> opened = syscalls_.opened();
  ASSERT_EQ(opened.size(), 4u);
  size_t uncore = 0;
  for (const Event& event : opened) {
    if (event.attr.type != 11) continue;
    ++uncore;
    EXPECT_EQ(event.pid, -1);
    EXPECT_TRUE(event.cpu == 0 || event.cpu == 18);
    EXPECT_FALSE(event.attr.inherit);
  }
  EXPECT_EQ(uncore, 2u);
}

TEST_F(TaskCountingTest, OneThreadThatEndsIsASlot) {
  syscalls_.FailOpens([](const Event& event) { return event.pid == 4712 ? ESRCH : 0; });

  const auto set = TryOpen("page-faults", Process(4711));

  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_TRUE((*set)->slots()[0].status.ok());
  EXPECT_TRUE(absl::IsNotFound((*set)->slots()[1].status));
}

TEST_F(TaskCountingTest, AllThreadsGoneOrNoProcessIsNotFound) {
  syscalls_.FailOpens([](const Event&) { return ESRCH; });

  EXPECT_TRUE(absl::IsNotFound(TryOpen("page-faults", Process(4711)).status()));
  EXPECT_TRUE(absl::IsNotFound(TryOpen("page-faults", Process(99)).status()));
}

TEST_F(TaskCountingTest, CgroupIsOpenedOnEveryCpu) {
  tree_.Write("/proc/self/mounts",
              "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
              "cgroup /cg1 cgroup rw,cpu,cpuacct 0 0\n");
  tree_.MakeDirectory("/sys/fs/cgroup/user.slice");
  CounterTarget target;
  target.cgroup = "user.slice";

  const auto set = TryOpen("cycles,power/energy-pkg/", target);

  ASSERT_TRUE(set.ok()) << set.status();
  size_t cgroup_opens = 0;
  for (const Event& event : syscalls_.opened()) {
    if (event.flags & PERF_FLAG_PID_CGROUP) {
      ++cgroup_opens;
      EXPECT_GE(event.pid, 0);
      EXPECT_EQ(event.attr.type, uint32_t{PERF_TYPE_HARDWARE});
    } else {
      EXPECT_EQ(event.pid, -1);
      EXPECT_EQ(event.attr.type, 9u);
    }
  }
  EXPECT_EQ(cgroup_opens, 36u);
}

TEST_F(TaskCountingTest, CgroupStandingStillIsNotALostCpu) {
  tree_.Write("/proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\n");
  tree_.MakeDirectory("/cg");
  CounterTarget target;
  target.cgroup = "/";
  target.cpus = {0, 1};
  const auto set = TryOpen("page-faults", target);
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_TRUE((*set)->Enable().ok());
  clock_.Advance(kMs);

  syscalls_.TakeCpuOffline(1);  // No task of the cgroup runs there any more.
  clock_.Advance(1000 * kMs);

  EXPECT_EQ(ReadAll(**set)[1].state, ReadingState::kCounted);
}

TEST_F(TaskCountingTest, CgroupErrors) {
  CounterTarget target;
  target.cgroup = "missing";
  const absl::Status no_mount = TryOpen("cycles", target).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(no_mount));
  EXPECT_TRUE(absl::StrContains(no_mount.message(), "mount -t cgroup2"));

  tree_.Write("/proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\n");
  tree_.MakeDirectory("/cg");
  EXPECT_TRUE(absl::IsNotFound(TryOpen("cycles", target).status()));
  target.cgroup = "../../etc";
  EXPECT_TRUE(absl::IsInvalidArgument(TryOpen("cycles", target).status()));
}

}  // namespace
}  // namespace pmu::server
