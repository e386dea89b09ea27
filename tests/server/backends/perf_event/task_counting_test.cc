// Processes and cgroups, on a scripted kernel.
#include <cerrno>
#include <map>
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

  // The root cgroup on CPUs 0 and 1.
  CounterTarget OfCgroup() {
    tree_.Write("/proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\n");
    tree_.MakeDirectory("/cg");
    CounterTarget target;
    target.cgroup = "/";
    target.cpus = {0, 1};
    return target;
  }

  std::unique_ptr<CounterSet> OpenOfCgroup(const std::string& events) {
    auto set = TryOpen(events, OfCgroup());
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
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
  std::map<uint32_t, size_t> whole_cpu_opens;
  for (const Event& event : syscalls_.opened()) {
    if (event.flags & PERF_FLAG_PID_CGROUP) {
      ++cgroup_opens;
      EXPECT_GE(event.pid, 0);
      EXPECT_EQ(event.attr.type, uint32_t{PERF_TYPE_HARDWARE});
    } else {
      EXPECT_EQ(event.pid, -1);
      ++whole_cpu_opens[event.attr.type];
    }
  }
  EXPECT_EQ(cgroup_opens, 36u);
  EXPECT_EQ(whole_cpu_opens[9], 2u);                    // power: one CPU a socket
  EXPECT_EQ(whole_cpu_opens[PERF_TYPE_SOFTWARE], 36u);  // sentinels
}

TEST_F(TaskCountingTest, CgroupStandingStillIsNotALostCpu) {
  const auto set = OpenOfCgroup("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kMs);

  syscalls_.LetCgroupsRest();
  clock_.Advance(5000 * kMs);

  EXPECT_EQ(ReadAll(*set)[1].state, ReadingState::kCounted);
}

TEST_F(TaskCountingTest, ALostCpuIsNoticedThoughTheCgroupStandsStill) {
  const auto set = OpenOfCgroup("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kMs);
  syscalls_.LetCgroupsRest();
  clock_.Advance(1500 * kMs);

  syscalls_.TakeCpuOffline(1);
  clock_.Advance(1000 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
}

TEST_F(TaskCountingTest, ACpuLostJustBeforeTheEndIsNoticedForACgroup) {
  const auto set = OpenOfCgroup("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(1000 * kMs);
  set->Upkeep();
  syscalls_.TakeCpuOffline(1);
  clock_.Advance(200 * kMs);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(ReadAll(*set)[1].state, ReadingState::kCpuLost);
}

TEST_F(TaskCountingTest, ACgroupIsCountedOnWhereTheCpuIsBack) {
  const auto set = OpenOfCgroup("{page-faults,cs},minor-faults");
  EXPECT_EQ(set->descriptor_count(), 9);  // six counters, two sentinels, the directory
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(200 * kMs);
  syscalls_.TakeCpuOffline(1);
  clock_.Advance(1800 * kMs);
  set->Upkeep();
  EXPECT_EQ(ReadAll(*set)[1].state, ReadingState::kCpuLost);

  syscalls_.BringCpuOnline(1);
  clock_.Advance(1000 * kMs);
  set->Upkeep();
  clock_.Advance(2000 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  for (const RawReading& reading : readings) EXPECT_EQ(reading.state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].raw_count, 2'200'000u);
  EXPECT_EQ(readings[5].raw_count, 2'200'000u);
  EXPECT_THAT(set->Notes(),
              testing::ElementsAre(testing::StartsWith("CPU 1 was offline from 0.2")));
  EXPECT_EQ(syscalls_.open_count(), 8u);
}

TEST_F(TaskCountingTest, NoRoomForASentinelIsSaidAndClosesAll) {
  syscalls_.LimitDescriptors(3);

  const auto set = TryOpen("page-faults", OfCgroup());

  EXPECT_TRUE(absl::IsResourceExhausted(set.status())) << set.status();
  EXPECT_EQ(syscalls_.open_count(), 0u);
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
