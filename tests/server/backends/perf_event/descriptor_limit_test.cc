#include "server/backends/perf_event/descriptor_limit.h"

#include <sys/resource.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

TEST(DescriptorLimitTest, TheReserveIsKept) {
  EXPECT_TRUE(DescriptorsFit(74, 10, 100));
  EXPECT_FALSE(DescriptorsFit(75, 10, 100));
  EXPECT_FALSE(DescriptorsFit(0, 90, 100));
  EXPECT_FALSE(DescriptorsFit(~uint64_t{0}, 10, 100));
}

TEST(DescriptorLimitTest, MessageHasNeededAndAllowed) {
  const absl::Status status = OutOfDescriptors(500, {64, 128, 12});

  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_TRUE(absl::StrContains(status.message(), "needs 500")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "100 are left of the 128 allowed")) << status;
}

// Lowers the limits of this process for one test.
class LoweredLimit {
 public:
  explicit LoweredLimit(rlim_t soft) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit lowered = {soft, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &lowered);
  }
  ~LoweredLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(DescriptorLimitTest, SoftLimitIsRaisedWhenNeeded) {
  const LoweredLimit lowered(64);
  rlimit limit = {};

  ASSERT_TRUE(ReserveDescriptors(1).ok());
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, 64u) << "raised without need";
  if (limit.rlim_max < 200) GTEST_SKIP() << "hard limit is " << limit.rlim_max;

  ASSERT_TRUE(ReserveDescriptors(100).ok());
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

TEST(DescriptorLimitTest, BeyondTheHardLimitIsAnError) {
  EXPECT_TRUE(absl::IsResourceExhausted(ReserveDescriptors(uint64_t{1} << 40)));
}

}  // namespace
}  // namespace pmu::server
