// How the backend behaves towards others who use the counters.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/registers/file_msr_device.h"
#include "tests/fakes/fake_cpuid.h"
#include "tests/fakes/fake_msr_device.h"
#include "tests/fakes/fake_restore_journal.h"
#include "tests/fakes/register_trace.h"
#include "tests/fakes/scratch_tree.h"
#include "tests/server/backends/x86_pmc/x86_pmc_fixture.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An architectural machine, version 4, whose registers are a map.
class X86PmcConductTest : public ::testing::Test {
 protected:
  X86PmcConductTest() : cpuid_("GenuineIntel", 0x000506e3) {
    cpuid_.leaves[0xa].eax = 4 | 4 << 8 | 48 << 16;
    for (int cpu = 0; cpu < 2; ++cpu) {
      for (uint32_t i = 0; i < 4; ++i) {
        device_.Set(cpu, 0x186 + i, 0);
        device_.Set(cpu, 0xc1 + i, 0);
      }
      device_.Set(cpu, 0x10, 0);
      device_.Set(cpu, 0x345, 0);
      device_.Set(cpu, 0x38f, 0);
      device_.Set(cpu, 0x392, 0);
    }
    tree_.Write("/sys/devices/system/cpu/online", "0-1\n");
  }

  X86PmcOptions Options() {
    X86PmcOptions options;
    options.root = tree_.root();
    options.device = &device_;
    options.cpuid = &cpuid_;
    options.clock = &clock_;
    options.journal = &journal_;
    options.poll_interval_ns = 0;
    options.on_problem = [this](const std::string& problem) { problems_.push_back(problem); };
    return options;
  }
  std::unique_ptr<X86PmcBackend> Create() { return X86PmcBackend::Create(Options()); }

  ScratchTree tree_;
  FakeMsrDevice device_;
  FakeCpuid cpuid_;
  FakeClock clock_;
  FakeRestoreJournal journal_;
  std::vector<std::string> problems_;
};

TEST_F(X86PmcConductTest, TheKernelsPmuDriverIsLeftAlone) {
  for (const char* pmu : {"cpu", "cpu_core", "cpu_atom"}) {
    const std::string path = std::string("/sys/bus/event_source/devices/") + pmu;
    tree_.Write(path + "/type", "4\n");
    auto backend = Create();
    const absl::Status availability = backend->Describe().availability;
    EXPECT_TRUE(absl::IsFailedPrecondition(availability));
    EXPECT_THAT(Message(availability),
                AllOf(HasSubstr("the kernel's PMU driver holds the counters"), HasSubstr(path)));
    const auto spec = ParseEventList("x86_pmc/event=1/");
    EXPECT_TRUE(absl::IsFailedPrecondition(backend->Resolve(spec->front(), {}).status()));
    tree_.Remove(path);
  }
  EXPECT_TRUE(Create()->Describe().availability.ok());
  EXPECT_THAT(device_.writes(), IsEmpty());
}

TEST_F(X86PmcConductTest, TheNmiWatchdogIsLeftAlone) {
  tree_.Write("/proc/sys/kernel/nmi_watchdog", "1\n");
  EXPECT_THAT(Message(Create()->Describe().availability),
              AllOf(HasSubstr("NMI watchdog"), HasSubstr("write 0 to")));
  tree_.Write("/proc/sys/kernel/nmi_watchdog", "0\n");
  EXPECT_TRUE(Create()->Describe().availability.ok());
}

TEST_F(X86PmcConductTest, TheOwnerMayAllowIt) {
  tree_.Write("/sys/bus/event_source/devices/cpu/type", "4\n");
  tree_.Write("/proc/sys/kernel/nmi_watchdog", "1\n");
  X86PmcOptions options = Options();
  options.take_counters = true;

  EXPECT_TRUE(X86PmcBackend::Create(std::move(options))->Describe().availability.ok());
}

TEST_F(X86PmcConductTest, CountersInUseAreNamedAndNothingIsWritten) {
  ASSERT_EQ(LoadTraceStep("msr-in-use.txt", 0, &device_), 3);
  auto backend = Create();

  auto set = OpenSet(*backend, "x86_pmc/event=0x2/", {0});

  const absl::Status status = set->slots()[0].status;
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("counters 0,1,2,3 are in use by another program"),
                    HasSubstr("0x186 = 0x432724"), HasSubstr("0x392 = 0x800000070000000e")));
  EXPECT_THAT(device_.writes(), IsEmpty());
  EXPECT_THAT(journal_.pending, IsEmpty());
}

TEST_F(X86PmcConductTest, FreeCountersAreUsedBesideBusyOnes) {
  device_.Set(0, 0x186, 0x432724);
  device_.Set(0, 0x392, 0x5);  // 0 and 2
  device_.Set(0, 0x38f, 0x5);
  auto backend = Create();

  auto set = OpenSet(*backend, "x86_pmc/event=0x2/,x86_pmc/event=0x3/,x86_pmc/event=0x4/", {0});
  ASSERT_TRUE(set->Enable().ok());

  EXPECT_TRUE(set->slots()[0].status.ok());
  EXPECT_TRUE(set->slots()[1].status.ok());
  EXPECT_THAT(Message(set->slots()[2].status), HasSubstr("counters 0,2 are in use"));
  EXPECT_EQ(device_.Get(0, 0x186), 0x432724u);
  EXPECT_EQ(device_.Get(0, 0x188), 0u);
  EXPECT_EQ(device_.Get(0, 0x38f), 0xfu);  // their bits, and ours
  set.reset();
  EXPECT_EQ(device_.Get(0, 0x38f), 0x5u);
}

TEST_F(X86PmcConductTest, ASelectSetAnewMeanwhileIsNoNumberAndIsSaid) {
  auto backend = Create();
  auto set = OpenSet(*backend, "x86_pmc/event=0x2/,x86_pmc/event=0x3/,x86_pmc/event=0x4/", {0});
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kSecondNs);
  ASSERT_EQ(ReadSet(*set)[0].state, ReadingState::kCounted);

  ASSERT_EQ(LoadTraceStep("msr-in-use.txt", 1, &device_), 2);
  clock_.Advance(kSecondNs);
  const auto readings = ReadSet(*set);

  for (int i : {0, 1}) {
    EXPECT_EQ(readings[i].state, ReadingState::kNotCounted) << i;
    EXPECT_EQ(readings[i].raw_count, 0u);
    EXPECT_EQ(readings[i].running_ns, 0u);
  }
  EXPECT_EQ(readings[2].state, ReadingState::kCounted);
  EXPECT_THAT(set->Notes(), ElementsAre(HasSubstr("CPU 0: counter 0 was set up anew"),
                                        HasSubstr("CPU 0: counter 1 was set up anew")));
}

TEST_F(X86PmcConductTest, AGlobalEnableTakenAwayIsSeen) {
  auto backend = Create();
  auto set = OpenSet(*backend, "x86_pmc/event=0x2/", {0});
  ASSERT_TRUE(set->Enable().ok());
  device_.Set(0, 0x38f, 0);

  EXPECT_EQ(ReadSet(*set)[0].state, ReadingState::kNotCounted);
}

TEST_F(X86PmcConductTest, AChangeJustBeforeTheEndIsSeen) {
  auto backend = Create();
  auto set = OpenSet(*backend, "x86_pmc/event=0x2/", {0});
  ASSERT_TRUE(set->Enable().ok());
  device_.Set(0, 0x186, 0x4300c0);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(ReadSet(*set)[0].state, ReadingState::kNotCounted);
}

TEST_F(X86PmcConductTest, ACounterSetBackByOthersIsNoHugeNumber) {
  auto backend = Create();
  auto set = OpenSet(*backend, "x86_pmc/event=0x2/", {0});
  ASSERT_TRUE(set->Enable().ok());
  device_.Set(0, 0xc1, 5'000'000);
  clock_.Advance(kSecondNs);
  ASSERT_EQ(ReadSet(*set)[0].raw_count, 5'000'000u);

  device_.Set(0, 0xc1, 0);
  clock_.Advance(kSecondNs);

  EXPECT_EQ(ReadSet(*set)[0].state, ReadingState::kNotCounted);
}

TEST_F(X86PmcConductTest, WithoutTheJournalNothingIsChanged) {
  journal_.failure = absl::UnavailableError("no space left on device");
  auto backend = Create();
  const auto spec = ParseEventList("x86_pmc/event=1/");
  const auto events = backend->Resolve(spec->front(), {});

  const auto set = backend->Open(*events, {});

  EXPECT_TRUE(absl::IsUnavailable(set.status()));
  EXPECT_THAT(device_.writes(), IsEmpty());
}

TEST_F(X86PmcConductTest, TheJournalHasTheOldContentsBeforeTheFirstWrite) {
  device_.Set(0, 0xc1, 0x123);
  device_.Set(0, 0x186, 0x2c0);  // not enabled
  journal_.before_record = [this] { EXPECT_THAT(device_.writes(), IsEmpty()); };
  auto backend = Create();

  auto set = OpenSet(*backend, "x86_pmc/event=0x2/", {0});

  ASSERT_EQ(journal_.pending.size(), 1u);
  const std::vector<RestoreStep>& steps = journal_.pending.begin()->second;
  ASSERT_EQ(steps.size(), 3u);  // select, counter, global control
  EXPECT_EQ(steps[0].device, "msr");
  EXPECT_EQ(steps[0].address, 0x186u);
  EXPECT_EQ(steps[0].data, 0x2c0u);
  EXPECT_EQ(steps[1].address, 0xc1u);
  EXPECT_EQ(steps[1].data, 0x123u);
  EXPECT_EQ(steps[2].address, 0x38fu);
  set.reset();
  EXPECT_THAT(journal_.pending, IsEmpty());
  EXPECT_EQ(device_.Get(0, 0x186), 0x2c0u);
  EXPECT_EQ(device_.Get(0, 0xc1), 0x123u);
}

TEST_F(X86PmcConductTest, ACpuThatGoesOfflineIsLostAndStaysInTheJournal) {
  auto backend = Create();
  auto set = OpenSet(*backend, "x86_pmc/event=0x2/");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kSecondNs);
  device_.Set(1, 0xc1, 700);
  ReadSet(*set);

  device_.TakeOffline(1);
  clock_.Advance(kSecondNs);
  const auto readings = ReadSet(*set);

  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].raw_count, 700u);
  set.reset();
  EXPECT_EQ(journal_.pending.size(), 1u);
  EXPECT_THAT(problems_, testing::Each(HasSubstr("CPU 1 is offline")));
}

TEST_F(X86PmcConductTest, ReplayGoesThroughTheAllowList) {
  auto backend = Create();

  EXPECT_TRUE(backend->Restore({"msr", 0, 0x186, 0x2c0}).ok());
  EXPECT_EQ(device_.Get(0, 0x186), 0x2c0u);
  device_.Set(0, 0x1a0, 1);
  EXPECT_TRUE(absl::IsPermissionDenied(backend->Restore({"msr", 0, 0x1a0, 0})));
  EXPECT_TRUE(absl::IsPermissionDenied(backend->Restore({"msr", 0, 0x186, uint64_t{1} << 40})));
  EXPECT_FALSE(backend->Restore({"msr", 0, 0x100000186, 0}).ok());
  EXPECT_FALSE(backend->Restore({"file:/x", 0, 0x186, 0}).ok());
  EXPECT_EQ(device_.Get(0, 0x1a0), 1u);
}

// RG-10: four causes, four messages.
TEST_F(X86PmcConductTest, WhyRegistersCannotBeReached) {
  FileMsrDevice files(tree_.root());
  const auto reason = [&] {
    X86PmcOptions options = Options();
    options.device = &files;
    return Message(X86PmcBackend::Create(std::move(options))->Describe().availability);
  };
  EXPECT_THAT(reason(), HasSubstr("msr module is not loaded"));
  tree_.Write("/dev/cpu/1/msr", "");
  tree_.MakeDirectory("/sys/devices/system/cpu/cpu0");
  EXPECT_THAT(reason(), HasSubstr("CPU 0 is offline"));
  tree_.MakeDirectory("/dev/cpu/0/msr");
  EXPECT_THAT(reason(), HasSubstr("directory"));
  tree_.Remove("/dev/cpu/0/msr");
  tree_.MakeFifo("/dev/cpu/0/msr");
  EXPECT_THAT(reason(), HasSubstr("not a register device"));
}

TEST_F(X86PmcConductTest, AMachineWithoutCountersSaysWhy) {
  cpuid_.leaves[0xa].eax = 0;
  cpuid_.leaves[1].ecx = 1u << 31;
  auto backend = Create();

  const BackendInfo info = backend->Describe();
  EXPECT_EQ(info.facts[0].text, "none");
  EXPECT_THAT(Message(info.availability),
              HasSubstr("class none: no known counters on GenuineIntel family 6 model 94 under a "
                        "hypervisor"));
  const auto named = ParseEventList("x86_pmc/event=1/");
  EXPECT_TRUE(absl::IsFailedPrecondition(backend->Resolve(named->front(), {}).status()));
  const auto generic = ParseEventList("cycles");
  EXPECT_TRUE(absl::IsNotFound(backend->Resolve(generic->front(), {}).status()));
}

}  // namespace
}  // namespace pmu::server
