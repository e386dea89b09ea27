#include "server/backends/perf_event/open_error.h"

#include <linux/perf_event.h>

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

struct Case {
  int error;
  absl::StatusCode code;
  const char* words;
};

class OpenErrorTest : public testing::TestWithParam<Case> {
 protected:
  OpenErrorTest() {
    event_.text = "cycles:u";
    event_.pmu = "cpu";
    event_.encoding.type = PERF_TYPE_HARDWARE;
    attempt_.event = &event_;
    attempt_.cpu = 3;
    attempt_.privileges.paranoid = 2;
  }

  ResolvedEvent event_;
  OpenAttempt attempt_;
};

TEST_P(OpenErrorTest, CodeAndAdvice) {
  const absl::Status status = OpenError(GetParam().error, attempt_);

  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), GetParam().words)) << status;
}

// What is true of the event on every CPU must read the same for each of them.
TEST_P(OpenErrorTest, NamesTheCpuOnlyWhereItMatters) {
  const absl::Status here = OpenError(GetParam().error, attempt_);
  attempt_.cpu = 4;
  const absl::Status there = OpenError(GetParam().error, attempt_);

  const bool everywhere = absl::IsPermissionDenied(here) || absl::IsUnimplemented(here);
  EXPECT_EQ(here == there, everywhere) << here;
  EXPECT_EQ(absl::StrContains(here.message(), "'cycles:u' on CPU 3"), !everywhere) << here;
}

TEST(CgroupErrorTest, ASoftwareEventThatACgroupLacksIsNotMissingFromTheKernel) {
  ResolvedEvent event;
  event.encoding.type = PERF_TYPE_SOFTWARE;
  OpenAttempt attempt;
  attempt.event = &event;
  attempt.cpu = 3;
  attempt.for_cgroup = true;

  const absl::Status status = OpenError(ENOENT, attempt);

  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "cgroup.subtree_control")) << status;
}

INSTANTIATE_TEST_SUITE_P(
    Errnos, OpenErrorTest,
    testing::Values(Case{EACCES, absl::StatusCode::kPermissionDenied, "CAP_PERFMON"},
                    Case{EPERM, absl::StatusCode::kPermissionDenied, "perf_event_paranoid is 2"},
                    Case{ENOENT, absl::StatusCode::kUnimplemented, "not supported: PMU 'cpu'"},
                    Case{EOPNOTSUPP, absl::StatusCode::kUnimplemented, "not supported"},
                    Case{ENOSYS, absl::StatusCode::kUnimplemented, "seccomp"},
                    Case{E2BIG, absl::StatusCode::kUnimplemented, "too old"},
                    Case{EINVAL, absl::StatusCode::kInvalidArgument, "type=0 config=0x0"},
                    Case{ESRCH, absl::StatusCode::kNotFound, "has ended"},
                    Case{ENODEV, absl::StatusCode::kUnavailable, "offline"},
                    Case{ENXIO, absl::StatusCode::kUnavailable, "offline"},
                    Case{EBUSY, absl::StatusCode::kResourceExhausted, "nmi_watchdog"},
                    Case{EMFILE, absl::StatusCode::kResourceExhausted, "ulimit -n"},
                    Case{ENFILE, absl::StatusCode::kResourceExhausted, "fs.file-max"},
                    Case{ENOMEM, absl::StatusCode::kResourceExhausted, "no memory"},
                    Case{ENOSPC, absl::StatusCode::kResourceExhausted, "no memory or counter"}));

TEST_F(OpenErrorTest, VirtualMachineWithoutPmu) {
  attempt_.has_core_pmu = false;

  EXPECT_TRUE(absl::StrContains(OpenError(ENOENT, attempt_).message(), "shows no hardware PMU"));
}

TEST_F(OpenErrorTest, CapableButRefusedPointsAtSeccompOrLockdown) {
  attempt_.privileges.perfmon_capable = true;
  EXPECT_TRUE(absl::StrContains(OpenError(EPERM, attempt_).message(), "lockdown"));
  EXPECT_FALSE(absl::StrContains(OpenError(EPERM, attempt_).message(), "lacks"));

  attempt_.privileges.seccomp_filtered = true;
  EXPECT_TRUE(absl::StrContains(OpenError(EPERM, attempt_).message(), "seccomp"));
}

TEST_F(OpenErrorTest, UnknownErrnoKeepsItsName) {
  const absl::Status status = OpenError(EIO, attempt_);

  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "cycles:u")) << status;
}

}  // namespace
}  // namespace pmu::server
