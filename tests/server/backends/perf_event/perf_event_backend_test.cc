// What the backend tells of its PMUs, and the self-test behind it.
#include "server/backends/perf_event/perf_event_backend.h"

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

class PerfEventBackendTest : public FakeKernelTest {};

TEST_F(PerfEventBackendTest, SelfTestThatCountsNothingDistrustsThePmu) {
  syscalls_.SetFixedCount(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 395);
  syscalls_.SetFixedCount(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 5'000'000);
  syscalls_.SetFixedCount(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 2'000'000);
  syscalls_.SetFixedCount(10, 0, 3'000'000);
  PerfEventOptions options;
  options.root = "tests/cases/sysfs/skx-2s36c";
  options.syscalls = &syscalls_;
  options.clock = &clock_;

  const auto backend = *PerfEventBackend::Create(options);

  std::map<std::string, PmuInfo> pmus;
  for (const PmuInfo& pmu : backend->Describe().pmus) pmus[pmu.name] = pmu;
  EXPECT_EQ(pmus["cpu"].health, PmuHealth::kImplausible);
  EXPECT_TRUE(absl::StrContains(pmus["cpu"].note, "395")) << pmus["cpu"].note;
  EXPECT_EQ(pmus["software"].health, PmuHealth::kCounts) << pmus["software"].note;
  EXPECT_EQ(pmus["msr"].health, PmuHealth::kCounts) << pmus["msr"].note;
  EXPECT_EQ(pmus["uncore_imc_0"].health, PmuHealth::kUntested);
  const auto events = backend->Resolve(ParseEventList("branches").value().front(), CounterTarget());
  ASSERT_EQ(events->front().warnings.size(), 1u);
  EXPECT_TRUE(absl::StrContains(events->front().warnings[0], "do not trust"));
}

TEST_F(PerfEventBackendTest, SelfTestZeroIsImplausibleToo) {
  syscalls_.SetFixedCount(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
  PerfEventOptions options;
  options.root = "tests/cases/sysfs/skx-2s36c";
  options.syscalls = &syscalls_;
  options.clock = &clock_;

  const auto backend = *PerfEventBackend::Create(options);

  for (const PmuInfo& pmu : backend->Describe().pmus) {
    if (pmu.name == "cpu") {
      EXPECT_EQ(pmu.health, PmuHealth::kImplausible);
    }
  }
}

TEST_F(PerfEventBackendTest, MachineWithoutCorePmuSaysSo) {
  syscalls_.FailOpens([](const Event& event) {
    return event.attr.type == PERF_TYPE_HARDWARE || event.attr.type == PERF_TYPE_HW_CACHE ? ENOENT
                                                                                          : 0;
  });
  PerfEventOptions options;
  options.root = "tests/cases/sysfs/vm-nopmu";
  options.syscalls = &syscalls_;
  options.clock = &clock_;

  const auto backend = *PerfEventBackend::Create(options);

  const BackendInfo info = backend->Describe();
  EXPECT_TRUE(info.availability.ok());
  EXPECT_EQ(info.pmus.back().name, "cpu");
  EXPECT_EQ(info.pmus.back().health, PmuHealth::kUnavailable);
  EXPECT_TRUE(absl::StrContains(info.pmus.back().note, "no hardware PMU"));
  for (const CounterInfo& counter : backend->ListCounters()) {
    if (counter.name == "cycles" || counter.name == "LLC-loads") {
      EXPECT_TRUE(absl::StrContains(counter.availability.message(), "no hardware PMU"));
    }
    if (counter.name == "page-faults") {
      EXPECT_TRUE(counter.availability.ok());
    }
  }
}

TEST_F(PerfEventBackendTest, CountersOfAnotherMachineAreNotOpened) {
  PerfEventOptions options;
  options.root = "tests/cases/sysfs/odd-aliases";
  const auto backend = *PerfEventBackend::Create(options);
  const auto events =
      backend->Resolve(ParseEventList("oddpmu/bare_term/").value().front(), CounterTarget());

  const auto set = backend->Open(*events, CounterTarget());

  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_TRUE(absl::IsFailedPrecondition((*set)->slots()[0].status));
  EXPECT_EQ((*set)->descriptor_count(), 0);
}

}  // namespace
}  // namespace pmu::server
