#include "server/backends/cci400/cci400_region.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

// A board whose registers are a file: the device tree says where.
TEST(OpenCci400RegionTest, FindsTheRegistersThroughTheDeviceTree) {
  ScratchTree tree;
  std::string memory(0x30000, '\0');
  memory[0x10000 + 0x0fe8] = 0x60;
  tree.Write("/dev/mem", memory);
  tree.Write("/proc/device-tree/#address-cells", std::string("\0\0\0\1", 4));
  tree.Write("/proc/device-tree/#size-cells", std::string("\0\0\0\1", 4));
  tree.Write("/proc/device-tree/cci@10000/compatible", std::string("arm,cci-400\0", 12));
  tree.Write("/proc/device-tree/cci@10000/reg", std::string("\0\1\0\0\0\0\x10\0", 8));

  auto region = OpenCci400Region(tree.root(), "auto");

  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ((*region)->size_bytes(), 0x10000u);
  EXPECT_EQ((*region)->Read32(0x0fe8).value(), 0x60u);
}

TEST(OpenCci400RegionTest, TakesAPlaceFromTheConfiguration) {
  ScratchTree tree;
  tree.Write("/dev/mem", std::string(0x30000, '\7'));

  auto region = OpenCci400Region(tree.root(), "/dev/mem:base=0x8000");

  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ((*region)->size_bytes(), 0x10000u);
}

TEST(OpenCci400RegionTest, SaysWhyThereIsNone) {
  ScratchTree tree;

  EXPECT_EQ(OpenCci400Region(tree.root(), "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenCci400Region(tree.root(), "/dev/uio7").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenCci400Region(tree.root(), "nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace pmu::server
