#include "server/backends/perf_event/task_target.h"

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

TEST(TaskTargetTest, ThreadsAscendingAsNumbers) {
  ScratchTree tree;
  for (const char* tid : {"9", "10", "100"}) {
    tree.MakeDirectory(std::string("/proc/9/task/") + tid);
  }

  EXPECT_THAT(*ReadThreads(tree.root(), 9), testing::ElementsAre(9, 10, 100));
  EXPECT_TRUE(absl::IsNotFound(ReadThreads(tree.root(), 8).status()));
}

class CgroupTest : public testing::Test {
 protected:
  void Mounts(const std::string& text) { tree_.Write("/proc/self/mounts", text); }

  ScratchTree tree_;
};

TEST_F(CgroupTest, Version2) {
  Mounts("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
  tree_.MakeDirectory("/sys/fs/cgroup/a/b");
  const std::string wanted = tree_.root() + "/sys/fs/cgroup/a/b";

  EXPECT_EQ(*FindCgroupDirectory(tree_.root(), "a/b"), wanted);
  EXPECT_EQ(*FindCgroupDirectory(tree_.root(), "/a/b"), wanted);
  EXPECT_EQ(*FindCgroupDirectory(tree_.root(), "/sys/fs/cgroup/a/b"), wanted);
  EXPECT_EQ(*FindCgroupDirectory(tree_.root(), "/"), tree_.root() + "/sys/fs/cgroup");
}

TEST_F(CgroupTest, Version1WithPerfEventIsPreferred) {
  Mounts(
      "cgroup2 /two cgroup2 rw 0 0\n"
      "cgroup /one/cpu cgroup rw,cpu 0 0\n"
      "cgroup /one/perf cgroup rw,perf_event 0 0\n");
  tree_.MakeDirectory("/two/x");
  tree_.MakeDirectory("/one/perf/x");

  EXPECT_EQ(*FindCgroupDirectory(tree_.root(), "x"), tree_.root() + "/one/perf/x");
}

TEST_F(CgroupTest, Version2IsOfNoUseWhileVersion1HasTheController) {
  Mounts("cgroup2 /two cgroup2 rw 0 0\n");
  tree_.MakeDirectory("/two/x");
  tree_.Write("/proc/cgroups", "#subsys_name\thierarchy\nperf_event\t0\t5\t1\n");
  EXPECT_TRUE(FindCgroupDirectory(tree_.root(), "x").ok());

  tree_.Write("/proc/cgroups", "#subsys_name\thierarchy\nperf_event\t7\t5\t1\n");

  EXPECT_TRUE(absl::IsFailedPrecondition(FindCgroupDirectory(tree_.root(), "x").status()));
}

TEST_F(CgroupTest, Errors) {
  EXPECT_TRUE(absl::IsFailedPrecondition(FindCgroupDirectory(tree_.root(), "x").status()));
  Mounts("cgroup2 /two cgroup2 rw 0 0\nshort line\n");
  tree_.Write("/two/file", "");

  EXPECT_TRUE(absl::IsNotFound(FindCgroupDirectory(tree_.root(), "x").status()));
  EXPECT_TRUE(absl::IsNotFound(FindCgroupDirectory(tree_.root(), "file").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(FindCgroupDirectory(tree_.root(), "a/../..").status()));
}

TEST(DirectoryHandleTest, OpensOnlyDirectories) {
  ScratchTree tree;
  tree.Write("/file", "");

  EXPECT_GE(DirectoryHandle::Open(tree.root())->fd(), 0);
  EXPECT_FALSE(DirectoryHandle::Open(tree.root() + "/file").ok());
}

}  // namespace
}  // namespace pmu::server
