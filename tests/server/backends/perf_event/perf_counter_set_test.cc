// What a counter set asks of the kernel, in which order, and what it makes of
// every answer.
#include "server/backends/perf_event/perf_counter_set.h"

#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "common/event_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/backends/perf_event/fake_kernel_test.h"

namespace pmu::server {
namespace {

class PerfCounterSetTest : public FakeKernelTest {};

TEST_F(PerfCounterSetTest, OpensDisabledLeadersWithTimesAndWaitingSiblings) {
  const std::unique_ptr<CounterSet> set = Open("{cycles,instructions}:u,page-faults", {3});

  const std::vector<Event> opened = syscalls_.opened();
  ASSERT_EQ(opened.size(), 3u);
  const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  EXPECT_EQ(opened[0].attr.read_format, times | PERF_FORMAT_GROUP);
  EXPECT_EQ(opened[0].attr.size, sizeof(perf_event_attr));
  EXPECT_TRUE(opened[0].attr.disabled);
  EXPECT_TRUE(opened[0].attr.exclude_kernel);
  EXPECT_FALSE(opened[0].attr.inherit);
  EXPECT_EQ(opened[0].group_fd, -1);
  EXPECT_EQ(opened[0].pid, -1);
  EXPECT_EQ(opened[0].cpu, 3);
  EXPECT_EQ(opened[0].flags, uint64_t{PERF_FLAG_FD_CLOEXEC});
  EXPECT_FALSE(opened[1].attr.disabled);
  EXPECT_GE(opened[1].group_fd, 0);
  EXPECT_TRUE(opened[1].attr.exclude_kernel);
  EXPECT_TRUE(opened[2].attr.disabled);
  EXPECT_EQ(opened[2].group_fd, -1);
  EXPECT_EQ(opened[2].attr.read_format, times);
}

TEST_F(PerfCounterSetTest, OneIoctlAndOneReadPerGroupAndCpu) {
  const std::unique_ptr<CounterSet> set = Open("{cycles,instructions,branches},page-faults");
  EXPECT_EQ(set->descriptor_count(), 8);

  ASSERT_TRUE(set->Enable().ok());
  EXPECT_EQ(syscalls_.ioctl_count(), 4);
  ReadAll(*set);
  EXPECT_EQ(syscalls_.read_count(), 4);
  ASSERT_TRUE(set->Disable().ok());
  EXPECT_EQ(syscalls_.ioctl_count(), 8);
}

TEST_F(PerfCounterSetTest, EventsOfOneCpuAreEnabledTogether) {
  const std::unique_ptr<CounterSet> set = Open("cycles,page-faults", {0, 1});

  ASSERT_TRUE(set->Enable().ok());

  const std::vector<Event> opened = syscalls_.opened();
  const std::vector<int> order = syscalls_.enabled_order();
  ASSERT_EQ(order.size(), 4u);
  std::vector<int> cpus;
  for (const int fd : order) cpus.push_back(opened[static_cast<size_t>(fd - 1000)].cpu);
  EXPECT_THAT(cpus, testing::ElementsAre(0, 0, 1, 1));
}

TEST_F(PerfCounterSetTest, EachGroupHasItsOwnTimes) {
  syscalls_.SetRate(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000, 50);
  syscalls_.SetRate(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 2, 100);
  const std::unique_ptr<CounterSet> set = Open("cycles,page-faults", {0});
  ASSERT_TRUE(set->Enable().ok());

  clock_.Advance(10 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].raw_count, 5'000'000u);
  EXPECT_EQ(readings[0].enabled_ns, 10'000'000u);
  EXPECT_EQ(readings[0].running_ns, 5'000'000u);
  EXPECT_EQ(readings[1].raw_count, 20'000u);
  EXPECT_EQ(readings[1].running_ns, 10'000'000u);
}

TEST_F(PerfCounterSetTest, NeverScheduledIsNotCounted) {
  syscalls_.SetRate(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, 0);
  const std::unique_ptr<CounterSet> set = Open("cycles", {0});
  ASSERT_TRUE(set->Enable().ok());

  clock_.Advance(10 * kMs);

  const RawReading reading = ReadAll(*set)[0];
  EXPECT_EQ(reading.state, ReadingState::kNotCounted);
  EXPECT_EQ(reading.enabled_ns, 10'000'000u);
}

TEST_F(PerfCounterSetTest, GroupCountsGoToTheirSlots) {
  syscalls_.SetRate(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 3, 100);
  syscalls_.SetRate(4, 0xc4, 5, 100);  // branch-instructions, named by the PMU
  const std::unique_ptr<CounterSet> set = Open("{cycles,page-faults,branch-instructions}");
  ASSERT_TRUE(set->Enable().ok());

  clock_.Advance(kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  ASSERT_EQ(readings.size(), 6u);
  EXPECT_EQ(readings[0].raw_count, 3000u);
  EXPECT_EQ(readings[1].raw_count, 3000u);
  EXPECT_EQ(readings[2].raw_count, 1000u);
  EXPECT_EQ(readings[4].raw_count, 5000u);
  EXPECT_EQ(set->slots()[4].event, 2);
  EXPECT_EQ(set->slots()[5].cpu, 1);
}

// Whichever open fails, nothing leaks and the other counters work.
TEST_F(PerfCounterSetTest, AnErrorAtEveryOpen) {
  constexpr int kOpens = 10;  // 5 events on 2 CPUs
  for (const int error : {EACCES, EPERM, ENOENT, EINVAL, EOPNOTSUPP, EBUSY, ENODEV, ENOMEM, EIO}) {
    for (int failing = 0; failing < kOpens; ++failing) {
      int opens = 0;
      syscalls_.FailOpens([&](const Event&) { return opens++ == failing ? error : 0; });

      const std::unique_ptr<CounterSet> set =
          Open("{cycles,instructions},page-faults,{cs,migrations}");

      ASSERT_TRUE(set->Enable().ok());
      clock_.Advance(kMs);
      size_t failed = 0;
      const std::vector<RawReading> readings = ReadAll(*set);
      for (size_t i = 0; i < readings.size(); ++i) {
        const bool open = set->slots()[i].status.ok();
        failed += open ? 0 : 1;
        EXPECT_EQ(readings[i].state, open ? ReadingState::kCounted : ReadingState::kNotSupported);
      }
      // EINVAL of a sibling that opens well alone gives up the whole group.
      EXPECT_GE(failed, 1u);
      EXPECT_LE(failed, error == EINVAL ? 2u : 1u);
    }
  }
  syscalls_.FailOpens(nullptr);
}

TEST_F(PerfCounterSetTest, UnsupportedLeaderPassesTheLeadOn) {
  syscalls_.FailOpens(
      [](const Event& event) { return event.attr.type == PERF_TYPE_HARDWARE ? ENOENT : 0; });
  const std::unique_ptr<CounterSet> set = Open("{cycles,page-faults,cs}", {0});
  ASSERT_TRUE(set->Enable().ok());

  clock_.Advance(kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kNotSupported);
  EXPECT_EQ(readings[1].state, ReadingState::kCounted);
  EXPECT_EQ(readings[2].state, ReadingState::kCounted);
  EXPECT_EQ(readings[2].raw_count, 1000u);
  EXPECT_EQ(syscalls_.read_count(), 1);
}

TEST_F(PerfCounterSetTest, GroupThatDoesNotFitIsExplainedAndOthersCount) {
  syscalls_.LimitHardwareGroup(2);
  const std::unique_ptr<CounterSet> set =
      Open("{cycles,instructions,branches},{cache-misses,page-faults}", {0});

  const absl::Span<const CounterSlot> slots = set->slots();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::IsFailedPrecondition(slots[i].status)) << slots[i].status;
    EXPECT_TRUE(absl::StrContains(slots[i].status.message(), "does not fit"));
    EXPECT_TRUE(absl::StrContains(slots[i].status.message(), "'branches'"));
  }
  EXPECT_TRUE(slots[3].status.ok());
  EXPECT_EQ(set->descriptor_count(), 2);
}

TEST_F(PerfCounterSetTest, PinnedGoesToTheLeaderOnly) {
  const std::unique_ptr<CounterSet> set = Open("{cycles,instructions}:D", {0});

  EXPECT_TRUE(set->slots()[1].status.ok()) << set->slots()[1].status;
  EXPECT_TRUE(syscalls_.opened()[0].attr.pinned);
  EXPECT_FALSE(syscalls_.opened()[1].attr.pinned);
}

TEST_F(PerfCounterSetTest, PinnedWithoutRoomIsNotCounted) {
  const std::unique_ptr<CounterSet> set = Open("cycles:D", {0});
  ASSERT_TRUE(set->Enable().ok());

  syscalls_.EndReadsOf(0);

  EXPECT_EQ(ReadAll(*set)[0].state, ReadingState::kNotCounted);
}

TEST_F(PerfCounterSetTest, RunningOutOfDescriptorsClosesEverything) {
  syscalls_.LimitDescriptors(20);

  const absl::StatusOr<std::unique_ptr<CounterSet>> set = TryOpen("cycles", CounterTarget());

  EXPECT_TRUE(absl::IsResourceExhausted(set.status())) << set.status();
  EXPECT_TRUE(absl::StrContains(set.status().message(), "needs 36 file descriptors, 20 could"))
      << set.status();
  EXPECT_EQ(syscalls_.open_count(), 0u);
}

TEST_F(PerfCounterSetTest, CpuThatGoesAwayIsLostWithItsLastCount) {
  const std::unique_ptr<CounterSet> set = Open("{page-faults,cs}");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(100 * kMs);
  const uint64_t count_at_loss = ReadAll(*set)[1].raw_count;

  syscalls_.TakeCpuOffline(1);
  clock_.Advance(500 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].raw_count, count_at_loss);
  EXPECT_EQ(readings[3].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[3].raw_count, count_at_loss);
  EXPECT_GT(readings[0].raw_count, count_at_loss);
}

TEST_F(PerfCounterSetTest, LostCpuIsNoticedByTheOnlyRead) {
  const std::unique_ptr<CounterSet> set = Open("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(200 * kMs);
  syscalls_.TakeCpuOffline(0);
  clock_.Advance(800 * kMs);
  ASSERT_TRUE(set->Disable().ok());
  clock_.Advance(5000 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);

  EXPECT_EQ(readings[0].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].state, ReadingState::kCounted);
}

TEST_F(PerfCounterSetTest, SiblingsOfALostCpuKeepTheirCountToo) {
  const std::unique_ptr<CounterSet> set = Open("{page-faults,cs}", {1});
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(200 * kMs);
  syscalls_.TakeCpuOffline(1);
  clock_.Advance(800 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);

  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].raw_count, 200'000u);
  EXPECT_EQ(readings[1].enabled_ns, 200'000'000u);
}

TEST_F(PerfCounterSetTest, ACpuThatComesBackIsCountedOn) {
  const std::unique_ptr<CounterSet> set = Open("{page-faults,cs}");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(200 * kMs);
  syscalls_.TakeCpuOffline(1);
  clock_.Advance(800 * kMs);
  set->Upkeep();  // notices
  clock_.Advance(500 * kMs);
  set->Upkeep();  // still away
  EXPECT_THAT(set->Notes(), ::testing::IsEmpty());
  EXPECT_EQ(ReadAll(*set)[1].state, ReadingState::kCpuLost);

  syscalls_.BringCpuOnline(1);
  clock_.Advance(500 * kMs);
  set->Upkeep();
  clock_.Advance(300 * kMs);
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].raw_count, 2'300'000u);
  EXPECT_EQ(readings[1].state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].raw_count, 500'000u);  // 200 ms before, 300 ms after
  EXPECT_EQ(readings[1].enabled_ns, 500'000'000u);
  EXPECT_EQ(readings[3].raw_count, 500'000u);
  EXPECT_THAT(set->Notes(), ::testing::ElementsAre(
                                "CPU 1 was offline from 0.2 s to 2.0 s after the start; it was "
                                "counted before and after"));
  EXPECT_EQ(syscalls_.open_count(), 4u);
}

TEST_F(PerfCounterSetTest, ACpuThatGoesAwayAfterAnHourIsNoticedAsSoon) {
  const std::unique_ptr<CounterSet> set = Open("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  for (int second = 0; second < 3600; ++second) {
    clock_.Advance(1000 * kMs);
    set->Upkeep();
  }

  syscalls_.TakeCpuOffline(1);
  clock_.Advance(200 * kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
}

TEST_F(PerfCounterSetTest, FailedReadKeepsTheLastCount) {
  const std::unique_ptr<CounterSet> set = Open("page-faults");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kMs);
  ReadAll(*set);

  syscalls_.FailReads(1, ENODEV);
  clock_.Advance(kMs);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].raw_count, 2000u);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].raw_count, 1000u);
}

TEST_F(PerfCounterSetTest, IoctlErrorsAreNamed) {
  const std::unique_ptr<CounterSet> set = Open("page-faults", {5});
  syscalls_.FailIoctls(EIO);

  const absl::Status enabled = set->Enable();

  EXPECT_TRUE(absl::IsInternal(enabled));
  EXPECT_TRUE(absl::StrContains(enabled.message(), "PERF_EVENT_IOC_ENABLE"));
  EXPECT_TRUE(absl::StrContains(enabled.message(), "CPU 5"));
  syscalls_.FailIoctls(0);
}

TEST_F(PerfCounterSetTest, EnabledOnce) {
  const std::unique_ptr<CounterSet> set = Open("page-faults");
  ASSERT_TRUE(set->Enable().ok());

  EXPECT_TRUE(absl::IsFailedPrecondition(set->Enable()));
}

}  // namespace
}  // namespace pmu::server
