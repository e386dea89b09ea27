#include "server/state_dir.h"

#include <sys/stat.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/process.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

TEST(StateDirTest, MakesAPrivateDirectoryWithTheInstance) {
  const integration::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/a/b";

  const absl::StatusOr<StateDir> state_dir = StateDir::Open(path, "1234");

  ASSERT_TRUE(state_dir.ok()) << state_dir.status();
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_EQ(integration::ReadFile(path + "/instance"), "1234\n");
}

TEST(StateDirTest, OneDirectoryIsForOneAgent) {
  const integration::ScratchDirectory scratch;
  {
    const absl::StatusOr<StateDir> first = StateDir::Open(scratch.path(), "1");
    ASSERT_TRUE(first.ok());

    const absl::Status second = StateDir::Open(scratch.path(), "2").status();

    EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(second.message()), HasSubstr(scratch.path()));
    EXPECT_EQ(integration::ReadFile(scratch.path() + "/instance"), "1\n");
  }
  EXPECT_TRUE(StateDir::Open(scratch.path(), "3").ok()) << "the lock goes with its holder";
}

TEST(StateDirTest, ErrorsNameThePath) {
  const absl::Status status = StateDir::Open("/proc/no/such", "1").status();

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/no"));
}

TEST(WriteFileAtomicallyTest, ReplacesTheWholeFile) {
  const integration::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/port";

  ASSERT_TRUE(WriteFileAtomically(path, "a long text\n").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "1\n").ok());

  EXPECT_EQ(integration::ReadFile(path), "1\n");
  EXPECT_FALSE(WriteFileAtomically("/proc/no/such", "x").ok());
}

}  // namespace
}  // namespace pmu::server
