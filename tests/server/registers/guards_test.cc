// The allow-lists, and the guards that apply them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "server/registers/allow_list.h"
#include "server/registers/guarded_mmio_region.h"
#include "server/registers/guarded_msr_device.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::StatusCode kDenied = absl::StatusCode::kPermissionDenied;

class PlainMsrDevice final : public MsrDevice {
 public:
  absl::StatusOr<uint64_t> Read(int, uint32_t reg) override { return contents[reg]; }
  absl::Status Write(int, uint32_t reg, uint64_t value) override {
    contents[reg] = value;
    return absl::OkStatus();
  }
  std::string Description() const override { return "plain"; }

  std::map<uint32_t, uint64_t> contents;
};

class PlainRegion final : public MmioRegion {
 public:
  absl::StatusOr<uint32_t> Read32(uint32_t offset) override { return contents[offset]; }
  absl::Status Write32(uint32_t offset, uint32_t value) override {
    contents[offset] = value;
    return absl::OkStatus();
  }
  uint32_t size_bytes() const override { return 0x10000; }
  std::string Description() const override { return "plain"; }

  std::map<uint32_t, uint32_t> contents;
};

TEST(GuardedMsrDeviceTest, PassesAllowedAccessesOn) {
  PlainMsrDevice device;
  GuardedMsrDevice guard(&device, I686AllowList(), nullptr);

  EXPECT_TRUE(guard.Write(0, 0x186, 0x4300c0).ok());

  EXPECT_EQ(device.contents[0x186], 0x4300c0u);
  EXPECT_EQ(guard.Read(0, 0x186).value(), 0x4300c0u);
}

TEST(GuardedMsrDeviceTest, RefusesOtherRegistersWithoutTouchingThem) {
  PlainMsrDevice device;
  GuardedMsrDevice guard(&device, I686AllowList(), nullptr);

  const absl::Status written = guard.Write(0, 0x1b, 0xdead);  // The APIC base.

  EXPECT_EQ(written.code(), kDenied);
  EXPECT_THAT(std::string(written.message()), AllOf(HasSubstr("0x1b"), HasSubstr("i686")));
  EXPECT_EQ(guard.Read(0, 0x1b).status().code(), kDenied);
  EXPECT_TRUE(device.contents.empty());
}

TEST(GuardedMsrDeviceTest, RefusesWritesOfReadOnlyRegistersAndOfOtherBits) {
  PlainMsrDevice device;
  GuardedMsrDevice guard(&device, I586AllowList(), nullptr);

  EXPECT_EQ(guard.Write(0, 0x10, 1).code(), kDenied);
  EXPECT_EQ(guard.Write(0, 0x11, 0x8000).code(), kDenied);
  EXPECT_EQ(guard.Write(0, 0x12, uint64_t{1} << 40).code(), kDenied);
  EXPECT_TRUE(device.contents.empty());
}

TEST(GuardedMsrDeviceTest, TellsTheObserverInOrder) {
  PlainMsrDevice device;
  std::vector<std::string> log;
  GuardedMsrDevice guard(&device, I686AllowList(), [&log](const RegisterAccess& access) {
    log.push_back(FormatRegisterAccess(access));
  });

  ASSERT_TRUE(guard.Write(3, 0x186, 0x41).ok());
  ASSERT_TRUE(guard.Read(3, 0x186).ok());
  ASSERT_FALSE(guard.Write(3, 0x1b, 0x900).ok());
  ASSERT_FALSE(guard.Read(3, 0x1b).ok());

  EXPECT_THAT(log, ElementsAre("write cpu 3 0x186 = 0x41", "read cpu 3 0x186 = 0x41",
                               "write cpu 3 0x1b = 0x900 failed", "read cpu 3 0x1b failed"));
}

TEST(GuardedMmioRegionTest, LetsOnlyTheListThrough) {
  PlainRegion region;
  GuardedMmioRegion guard(&region, Cci400AllowList(), nullptr);

  EXPECT_TRUE(guard.Write32(0xa000, 0x63).ok());
  EXPECT_TRUE(guard.Read32(0x0fe8).ok());
  EXPECT_EQ(guard.Write32(0x0fe8, 0).code(), kDenied);
  // The cycle counter has no event select.
  EXPECT_EQ(guard.Write32(0x9000, 0).code(), kDenied);
  // Control override and shareable overrides of the slave interfaces.
  EXPECT_EQ(guard.Write32(0x0000, 1).code(), kDenied);
  EXPECT_EQ(guard.Write32(0x1000, 1).code(), kDenied);
  // A reserved bit of PMCR.
  EXPECT_EQ(guard.Write32(0x0100, 0x0041).code(), kDenied);
  EXPECT_EQ(region.contents.size(), 2u);
}

TEST(AllowListTest, PlusAllowsWhatEitherAllows) {
  const RegisterAllowList both = AperfMperfAllowList().Plus(SmiCountAllowList());

  EXPECT_TRUE(both.CheckRead(0xe8).ok());
  EXPECT_TRUE(both.CheckRead(0x34).ok());
  EXPECT_EQ(both.CheckRead(0x186).code(), kDenied);
  EXPECT_EQ(both.CheckWrite(0xe8, 0).code(), kDenied);
}

}  // namespace
}  // namespace pmu::server
