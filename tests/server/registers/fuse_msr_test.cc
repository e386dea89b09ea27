// FileMsrDevice on register files that behave as the kernel's do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/registers/file_msr_device.h"
#include "tests/server/registers/fuse_tree.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kInstructions = 0xc0 | 3 << 16 | 1 << 22;

class FuseMsrTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why_not = FuseTree::WhyNot();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }
};

TEST_F(FuseMsrTest, ReadsAndWritesRegisters) {
  FuseTree tree({"p6:event.0xc0=1000000000"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());

  ASSERT_TRUE(device.Write(1, 0xc1, 0x80000000).ok());
  EXPECT_EQ(device.Read(1, 0xc1).value(), 0xff80000000u);
  EXPECT_EQ(device.Read(0, 0xc1).value(), 0u);

  ASSERT_TRUE(device.Write(0, 0x186, kInstructions).ok());
  const uint64_t first = device.Read(0, 0xc1).value();
  const uint64_t second = device.Read(0, 0xc1).value();
  EXPECT_GT(second, first);  // It counts.
  ASSERT_TRUE(device.Write(0, 0x186, 0).ok());
  EXPECT_EQ(device.Read(0, 0xc1).value(), device.Read(0, 0xc1).value());
}

TEST_F(FuseMsrTest, RegistersAbove31Bits) {
  FuseTree tree({"amd"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());

  ASSERT_TRUE(device.Write(0, 0xc0010200, kInstructions).ok());

  EXPECT_EQ(device.Read(0, 0xc0010200).value(), kInstructions);
}

// RG-10: a register that the CPU does not have.
TEST_F(FuseMsrTest, MissingRegisterIsNotFound) {
  FuseTree tree({"aperf-mperf:fault=0xe8"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());

  const absl::Status read = device.Read(0, 0xe8).status();
  const absl::Status written = device.Write(0, 0x186, 0);

  EXPECT_EQ(read.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(read.message()),
              AllOf(HasSubstr("/dev/cpu/0/msr"), HasSubstr("0xe8"), HasSubstr("no such register")));
  EXPECT_EQ(written.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(device.Read(0, 0xe7).ok());
}

TEST_F(FuseMsrTest, RegistersThatReadZeroAreNoError) {
  FuseTree tree({"aperf-mperf:zero=0xe7,zero=0xe8"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());

  EXPECT_EQ(device.Read(0, 0xe7).value(), 0u);
  EXPECT_EQ(device.Read(0, 0xe8).value(), 0u);
}

// RG-10: an offline CPU has no file, while others have.
TEST_F(FuseMsrTest, OfflineCpuIsUnavailable) {
  FuseTree tree({"p6:cpus=2,offline=1"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());

  EXPECT_TRUE(device.Read(0, 0x10).ok());
  EXPECT_EQ(device.Read(1, 0x10).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace pmu::server
