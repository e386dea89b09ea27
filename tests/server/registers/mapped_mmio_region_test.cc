#include "server/registers/mapped_mmio_region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ParseMmioLocationTest, TakesAPathAlone) {
  absl::StatusOr<MmioLocation> location = ParseMmioLocation("/dev/uio0");

  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->path, "/dev/uio0");
  EXPECT_EQ(location->size_bytes, 0u);
}

TEST(ParseMmioLocationTest, TakesKeys) {
  absl::StatusOr<MmioLocation> location = ParseMmioLocation("/dev/mem:base=0x2c090000,size=65536");

  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->offset_bytes, 0x2c090000u);
  EXPECT_EQ(location->size_bytes, 0x10000u);
}

TEST(ParseMmioLocationTest, NamesTokenAndPosition) {
  const auto message = [](const char* text) {
    return std::string(ParseMmioLocation(text).status().message());
  };
  EXPECT_THAT(message("dev/mem"), HasSubstr("position 1"));
  EXPECT_THAT(message("/dev/mem:base=1,seize=2"),
              AllOf(HasSubstr("\"seize\" at position 17"), HasSubstr("known: offset")));
  EXPECT_THAT(message("/dev/mem:base=-1"), HasSubstr("expected key=number"));
  EXPECT_THAT(message("/dev/mem:"), HasSubstr("position 10"));
  EXPECT_THAT(message("/dev/uio0:map=16"), HasSubstr("map (0 to 15)"));
}

TEST(MappedMmioRegionTest, ReadsAndWritesWordsOfAFile) {
  ScratchTree tree;
  tree.Write("/registers", std::string(0x3000, '\0'));
  auto region = MappedMmioRegion::Create(tree.root(), {"/registers", 0x1004, 0x100, 0}).value();
  auto whole = MappedMmioRegion::Create(tree.root(), {"/registers", 0, 0x3000, 0}).value();

  ASSERT_TRUE(region->Write32(0x8, 0xcafe0001).ok());

  EXPECT_EQ(region->Read32(0x8).value(), 0xcafe0001u);
  EXPECT_EQ(whole->Read32(0x100c).value(), 0xcafe0001u);
}

TEST(MappedMmioRegionTest, ChecksBoundsAndAlignment) {
  ScratchTree tree;
  tree.Write("/registers", std::string(0x1000, '\0'));
  auto region = MappedMmioRegion::Create(tree.root(), {"/registers", 0, 0x100, 0}).value();

  EXPECT_EQ(region->Read32(0x100).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(region->Write32(0xfffffffc, 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(region->Read32(0x2).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(region->Read32(0xfc).ok());
}

TEST(MappedMmioRegionTest, RefusesAWindowBeyondTheFile) {
  ScratchTree tree;
  tree.Write("/registers", std::string(0x1000, '\0'));

  EXPECT_EQ(MappedMmioRegion::Create(tree.root(), {"/registers", 0xf00, 0x200, 0}).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(
      MappedMmioRegion::Create(tree.root(), {"/registers", ~uint64_t{0}, 0x200, 0}).status().code(),
      absl::StatusCode::kOutOfRange);
}

TEST(MappedMmioRegionTest, SaysWhatIsWrongWithThePlace) {
  ScratchTree tree;
  tree.Write("/directory/inside", "");
  ASSERT_EQ(mkfifo((tree.root() + "/fifo").c_str(), 0600), 0);
  const auto code = [&tree](const char* path) {
    return MappedMmioRegion::Create(tree.root(), {path, 0, 0x100, 0}).status().code();
  };

  EXPECT_EQ(code("/missing"), absl::StatusCode::kNotFound);
  EXPECT_EQ(code("/directory"), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code("/fifo"), absl::StatusCode::kFailedPrecondition);
}

TEST(MappedMmioRegionTest, NeedsASizeWhereNoneIsKnown) {
  ScratchTree tree;
  tree.Write("/dev/mem", std::string(0x1000, '\0'));

  const absl::Status status = MappedMmioRegion::Create(tree.root(), {"/dev/mem", 0, 0, 0}).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

// Registers of a UIO map need not begin on a page (uio(4), maps/mapX/offset).
TEST(MappedMmioRegionTest, TakesSizeAndStartOfAUioMap) {
  ScratchTree tree;
  std::string contents(0x2000, '\0');
  contents[0x90] = 0x42;
  tree.Write("/dev/uio0", contents);
  tree.Write("/sys/class/uio/uio0/maps/map0/size", "0x0000000000001000\n");
  tree.Write("/sys/class/uio/uio0/maps/map0/offset", "0x80\n");

  auto region = MappedMmioRegion::Create(tree.root(), {"/dev/uio0", 0, 0, 0}).value();

  EXPECT_EQ(region->size_bytes(), 0x1000u);
  EXPECT_EQ(region->Read32(0x10).value(), 0x42u);
  EXPECT_EQ(MappedMmioRegion::Create(tree.root(), {"/dev/uio0", 0x800, 0x900, 0}).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace pmu::server
