#include "server/machine/root_files.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

TEST(RootFilesTest, ReadsAFileAndTrimsIt) {
  ScratchTree tree;
  tree.Write("/sys/name", "  two words \n");

  EXPECT_EQ(*ReadSmallFile(tree.root() + "/sys/name"), "  two words \n");
  EXPECT_EQ(*ReadTrimmedFile(tree.root() + "/sys/name"), "two words");
}

TEST(RootFilesTest, EmptyFileIsEmptyText) {
  ScratchTree tree;
  tree.Write("/empty", "");

  EXPECT_EQ(*ReadSmallFile(tree.root() + "/empty"), "");
}

TEST(RootFilesTest, MissingFileIsNotFoundAndNamed) {
  ScratchTree tree;

  const absl::Status status = ReadSmallFile(tree.root() + "/nothing").status();

  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), tree.root() + "/nothing")) << status;
}

TEST(RootFilesTest, DirectoryOrFifoInAFilesPlaceIsAnErrorAndNoHang) {
  ScratchTree tree;
  tree.MakeDirectory("/directory");
  tree.MakeFifo("/fifo");

  EXPECT_FALSE(ReadSmallFile(tree.root() + "/directory").ok());
  EXPECT_FALSE(ReadSmallFile(tree.root() + "/fifo").ok());
}

TEST(RootFilesTest, RefusesWhatIsTooLarge) {
  ScratchTree tree;
  tree.Write("/limit", std::string(kMaxSmallFileBytes, 'x'));
  tree.Write("/above", std::string(kMaxSmallFileBytes + 1, 'x'));

  EXPECT_TRUE(ReadSmallFile(tree.root() + "/limit").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadSmallFile(tree.root() + "/above").status()));
}

TEST(RootFilesTest, ListsNamesSorted) {
  ScratchTree tree;
  tree.Write("/d/b", "");
  tree.Write("/d/a", "");
  tree.MakeDirectory("/d/c");

  EXPECT_THAT(*ListDirectory(tree.root() + "/d"), testing::ElementsAre("a", "b", "c"));
  EXPECT_TRUE(absl::IsNotFound(ListDirectory(tree.root() + "/e").status()));
}

}  // namespace
}  // namespace pmu::server
