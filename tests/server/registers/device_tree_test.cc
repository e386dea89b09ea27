#include "server/registers/device_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <initializer_list>
#include <string>

#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

std::string Cells(std::initializer_list<uint32_t> cells) {
  std::string bytes;
  for (uint32_t cell : cells) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(cell >> shift);
  }
  return bytes;
}

class DeviceTreeTest : public ::testing::Test {
 protected:
  void Property(const std::string& node, const std::string& name, const std::string& bytes) {
    tree_.Write("/proc/device-tree" + node + "/" + name, bytes);
  }
  void Counts(const std::string& node, uint32_t address_cells, uint32_t size_cells) {
    Property(node, "#address-cells", Cells({address_cells}));
    Property(node, "#size-cells", Cells({size_cells}));
  }
  absl::StatusOr<DeviceTreeNode> Find() { return FindDeviceTreeNode(tree_.root(), "arm,cci-400"); }

  ScratchTree tree_;
};

// The node of Arm's reference boards: two cells each at the top.
TEST_F(DeviceTreeTest, FindsANodeAtTheTop) {
  Counts("", 2, 2);
  Property("/cci@2c090000", "compatible", std::string("arm,cci-400\0", 12));
  Property("/cci@2c090000", "reg", Cells({0, 0x2c090000, 0, 0x1000}));

  absl::StatusOr<DeviceTreeNode> node = Find();

  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(node->path, "/cci@2c090000");
  EXPECT_EQ(node->physical_address, 0x2c090000u);
  EXPECT_EQ(node->size_bytes, 0x1000u);
}

TEST_F(DeviceTreeTest, TakesAnyStringOfTheCompatibleList) {
  Counts("", 1, 1);
  Property("/a", "compatible", std::string("arm,cci-400-pmu\0", 16));
  Property("/b", "compatible", std::string("vendor,cci\0arm,cci-400\0", 23));
  Property("/b", "reg", Cells({0x1000, 0x10}));

  EXPECT_EQ(Find()->path, "/b");
}

TEST_F(DeviceTreeTest, TranslatesAddressesThroughRanges) {
  Counts("", 2, 2);
  Counts("/soc", 1, 1);
  // 0x10000000 of the bus is 0x8'10000000 of the CPU.
  Property("/soc", "ranges", Cells({0x0, 0, 0x1000, 0x100, 0x10000000, 8, 0x10000000, 0x1000000}));
  Counts("/soc/bus", 1, 1);
  Property("/soc/bus", "ranges", "");
  Property("/soc/bus/cci", "compatible", "arm,cci-400");
  Property("/soc/bus/cci", "reg", Cells({0x10090000, 0x1000}));

  absl::StatusOr<DeviceTreeNode> node = Find();

  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_EQ(node->physical_address, 0x810090000u);
}

TEST_F(DeviceTreeTest, AddressOutsideTheRangesIsAnError) {
  Counts("", 2, 2);
  Counts("/soc", 1, 1);
  Property("/soc", "ranges", Cells({0x0, 0, 0x1000, 0x100}));
  Property("/soc/cci", "compatible", "arm,cci-400");
  Property("/soc/cci", "reg", Cells({0x100, 0x1000}));

  const absl::Status status = Find().status();

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/soc/ranges"));
}

TEST_F(DeviceTreeTest, DisabledNodesDoNotCount) {
  Counts("", 2, 2);
  Property("/cci", "compatible", "arm,cci-400");
  Property("/cci", "status", std::string("disabled\0", 9));

  EXPECT_EQ(Find().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DeviceTreeTest, NoTreeNoNodeNoReg) {
  EXPECT_THAT(std::string(Find().status().message()), HasSubstr("no device tree"));
  Counts("", 2, 2);
  EXPECT_EQ(Find().status().code(), absl::StatusCode::kNotFound);
  Property("/cci", "compatible", "arm,cci-400");
  EXPECT_EQ(Find().status().code(), absl::StatusCode::kFailedPrecondition);
  Property("/cci", "reg", "abc");
  EXPECT_EQ(Find().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(DeviceTreeTest, LinksAreNotFollowed) {
  Counts("", 2, 2);
  ASSERT_EQ(symlink(".", (tree_.root() + "/proc/device-tree/loop").c_str()), 0);

  EXPECT_EQ(Find().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DeviceTreeTest, AbsurdCellCountsAreSurvived) {
  Property("", "#address-cells", Cells({0xffffffff}));
  Property("", "#size-cells", Cells({0xffffffff}));
  Property("/cci", "compatible", "arm,cci-400");
  Property("/cci", "reg", Cells({1, 2, 3}));

  EXPECT_EQ(Find().status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace pmu::server
