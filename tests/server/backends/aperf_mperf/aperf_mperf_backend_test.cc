#include "server/backends/aperf_mperf/aperf_mperf_backend.h"

#include "absl/strings/str_cat.h"
#include "common/metric_expr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_cpuid.h"
#include "tests/fakes/fake_msr_device.h"
#include "tests/fakes/register_trace.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecondNs = 1'000'000'000;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// A machine with two CPUs whose registers run while a CPU is kept busy.
class AperfMperfTest : public ::testing::Test {
 protected:
  AperfMperfTest() : cpuid_("GenuineIntel", 0x000506e3) {
    cpuid_.leaves[6].ecx = 1;
    cpuid_.leaves[0x16].eax = 2000;
    for (int cpu = 0; cpu < 2; ++cpu) {
      device_.Set(cpu, 0xe7, 0x1000);
      device_.Set(cpu, 0xe8, 0x1000);
      device_.Set(cpu, 0x34, 0);
    }
    tree_.Write("/sys/devices/system/cpu/online", "0-1\n");
  }

  void Run(int cpu, uint64_t mperf, uint64_t aperf) {
    device_.Set(cpu, 0xe7, device_.Get(cpu, 0xe7) + mperf);
    device_.Set(cpu, 0xe8, device_.Get(cpu, 0xe8) + aperf);
  }

  std::unique_ptr<AperfMperfBackend> Create() {
    AperfMperfOptions options;
    options.root = tree_.root();
    options.device = &device_;
    options.cpuid = &cpuid_;
    options.clock = &clock_;
    options.busy_loop = [this](int cpu, int64_t) {
      Run(cpu, mperf_while_busy_, aperf_while_busy_);
      return busy_;
    };
    return AperfMperfBackend::Create(std::move(options));
  }

  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const AperfMperfBackend& backend,
                                                     const char* text,
                                                     const CounterTarget& target = {}) {
    return backend.Resolve(ParseEventList(text)->front(), target);
  }

  std::unique_ptr<CounterSet> Open(AperfMperfBackend& backend, const char* text,
                                   const CounterTarget& target = {}) {
    std::vector<ResolvedEvent> events;
    const auto specs = ParseEventList(text);
    for (const EventSpec& spec : *specs) {
      auto resolved = backend.Resolve(spec, target);
      EXPECT_TRUE(resolved.ok()) << resolved.status();
      events.insert(events.end(), resolved->begin(), resolved->end());
    }
    auto set = backend.Open(events, target);
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
  }

  std::vector<RawReading> Read(CounterSet& set) {
    std::vector<RawReading> readings(set.slots().size());
    set.Read(absl::MakeSpan(readings));
    return readings;
  }

  ScratchTree tree_;
  FakeMsrDevice device_;
  FakeCpuid cpuid_;
  FakeClock clock_;
  uint64_t mperf_while_busy_ = 2'000'000;
  uint64_t aperf_while_busy_ = 3'000'000;
  absl::Status busy_;
};

TEST_F(AperfMperfTest, AvailableWhenBothConditionsHold) {
  auto backend = Create();

  EXPECT_TRUE(backend->Describe().availability.ok()) << backend->Describe().availability;
  const auto counters = backend->ListCounters();
  ASSERT_THAT(counters, SizeIs(3));
  EXPECT_EQ(counters[0].name, "perf-aperf");
  EXPECT_EQ(counters[1].name, "perf-mperf");
  EXPECT_THAT(counters, Each(Field(&CounterInfo::combine, CombineRule::kNone)));
  EXPECT_THAT(counters, Each(Field(&CounterInfo::modifiers, "")));
  EXPECT_THAT(counters[0].capabilities, ElementsAre(CounterCapability::kRead));
}

TEST_F(AperfMperfTest, WithoutTheCpuidBitNoRegisterIsReadAndTheBitIsNamed) {
  cpuid_.leaves[6].ecx = 0;

  auto backend = Create();

  const absl::Status availability = backend->Describe().availability;
  EXPECT_TRUE(absl::IsFailedPrecondition(availability));
  EXPECT_THAT(Message(availability), HasSubstr("CPUID leaf 6 ECX bit 0 is not set"));
  for (const RegisterAccess& access : device_.log()) EXPECT_EQ(access.address, 0x34u);
  EXPECT_EQ(Resolve(*backend, "perf-aperf").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(AperfMperfTest, EachRegisterMustIncrease) {
  aperf_while_busy_ = 0;
  EXPECT_THAT(Message(Create()->Describe().availability),
              HasSubstr("APERF (MSR 0xe8) did not increase while CPU 0 was busy"));

  aperf_while_busy_ = 1;
  mperf_while_busy_ = 0;
  EXPECT_THAT(Message(Create()->Describe().availability), HasSubstr("MPERF (MSR 0xe7)"));
}

TEST_F(AperfMperfTest, RegistersThatFaultAreNamed) {
  device_.TakeOffline(0);
  device_.Set(0, 0x10, 1);

  EXPECT_THAT(Message(Create()->Describe().availability),
              HasSubstr("MPERF cannot be read: no register 0xe7"));
}

TEST_F(AperfMperfTest, TheKernelsMsrPmuIsPreferred) {
  tree_.Write("/sys/bus/event_source/devices/msr/events/aperf", "event=0x01\n");
  tree_.Write("/sys/bus/event_source/devices/msr/events/mperf", "event=0x02\n");

  auto backend = Create();

  EXPECT_THAT(Message(backend->Describe().availability), HasSubstr("perf_event's msr/aperf/"));
  EXPECT_TRUE(absl::IsNotFound(Resolve(*backend, "msr/aperf/").status()));
  EXPECT_THAT(Message(Resolve(*backend, "perf-mperf").status()),
              HasSubstr("perf_event's msr/mperf/"));
  // The kernel's counters need the nominal frequency, too.
  ASSERT_THAT(backend->Describe().facts, SizeIs(1));
  EXPECT_EQ(backend->Describe().facts[0].number, 2e9);
}

TEST_F(AperfMperfTest, ProcessesAndCgroupsAreRefused) {
  auto backend = Create();
  CounterTarget process;
  process.pid = 1;
  CounterTarget cgroup;
  cgroup.cgroup = "web";

  EXPECT_THAT(Message(Resolve(*backend, "aperf", process).status()), HasSubstr("process"));
  EXPECT_THAT(Message(Resolve(*backend, "aperf", cgroup).status()), HasSubstr("cgroup"));
}

TEST_F(AperfMperfTest, TheTraceOfABusyAndAnIdleCpu) {
  auto backend = Create();
  ASSERT_EQ(LoadTraceStep("msr-aperf.txt", 0, &device_), 4);
  auto set = Open(*backend, "perf-aperf,perf-mperf");
  ASSERT_TRUE(set->Enable().ok());

  clock_.Advance(kSecondNs);
  ASSERT_EQ(LoadTraceStep("msr-aperf.txt", 1, &device_), 4);
  ASSERT_TRUE(set->Disable().ok());
  const auto readings = Read(*set);

  // Slots: aperf on CPU 0 and 1, mperf on CPU 0 and 1.
  EXPECT_EQ(readings[0].raw_count, 0xb2d06000u - 0x1000);
  EXPECT_EQ(readings[2].raw_count, 0x77360400u - 0x1000);
  EXPECT_THAT(readings, Each(Field(&RawReading::enabled_ns, kSecondNs)));
  EXPECT_THAT(readings, Each(Field(&RawReading::running_ns, kSecondNs)));
  EXPECT_THAT(readings, Each(Field(&RawReading::state, ReadingState::kCounted)));
  const auto frequency = MetricExpr::Parse("f = 2000000000 * aperf / mperf");
  const auto of_cpu = [&](int cpu) {
    return frequency->Evaluate([&](size_t input) {
      return absl::make_optional(static_cast<double>(readings[2 * input + cpu].raw_count));
    });
  };
  EXPECT_NEAR(*of_cpu(0).number, 3.0e9, 1e6);
  EXPECT_FALSE(of_cpu(1).number.has_value());
  EXPECT_EQ(of_cpu(1).reason, "division by zero");
}

TEST_F(AperfMperfTest, NothingIsEverWritten) {
  auto backend = Create();
  {
    auto set = Open(*backend, "aperf,mperf,smi");
    ASSERT_TRUE(set->Enable().ok());
    Read(*set);
    ASSERT_TRUE(set->Disable().ok());
  }
  EXPECT_THAT(device_.writes(), IsEmpty());
}

// One slow pair, an interrupt between the two reads, is read again.
TEST_F(AperfMperfTest, ASlowPairIsReadAgain) {
  auto backend = Create();
  CounterTarget cpu0;
  cpu0.cpus = {0};
  auto set = Open(*backend, "aperf,mperf", cpu0);
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(100'000'000);
  Run(0, 200'000'000, 300'000'000);
  int delays = 1;
  device_.before_access = [&](const RegisterAccess& access) {
    if (access.address != 0xe8 || delays-- <= 0) return;
    clock_.Advance(5'000'000);  // in which the clocks run on
    Run(0, 10'000'000, 15'000'000);
  };

  const auto readings = Read(*set);

  EXPECT_EQ(readings[0].raw_count, 315'000'000u);  // aperf
  EXPECT_EQ(readings[1].raw_count, 210'000'000u);  // mperf: of the same moment
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
}

TEST_F(AperfMperfTest, APairThatStaysSlowIsNoNumberAndSaysSo) {
  auto backend = Create();
  CounterTarget cpu0;
  cpu0.cpus = {0};
  auto set = Open(*backend, "aperf,mperf", cpu0);
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(100'000'000);
  device_.before_access = [&](const RegisterAccess& access) {
    if (access.address == 0xe8) clock_.Advance(5'000'000);
  };

  const auto readings = Read(*set);

  EXPECT_THAT(readings, Each(Field(&RawReading::state, ReadingState::kNotCounted)));
  EXPECT_THAT(set->Notes(), ElementsAre(HasSubstr("CPU 0: MPERF and APERF")));
}

TEST_F(AperfMperfTest, ACpuThatGoesOfflineKeepsItsLastCounts) {
  auto backend = Create();
  auto set = Open(*backend, "aperf");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kSecondNs);
  Run(1, 20, 30);
  Read(*set);

  device_.TakeOffline(1);
  clock_.Advance(kSecondNs);
  const auto readings = Read(*set);

  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[0].enabled_ns, 2u * kSecondNs);
  EXPECT_EQ(readings[1].state, ReadingState::kCpuLost);
  EXPECT_EQ(readings[1].raw_count, 30u);
  EXPECT_EQ(readings[1].enabled_ns, 1u * kSecondNs);
}

TEST_F(AperfMperfTest, ACpuThatIsOfflineIsASlotWithAReason) {
  auto backend = Create();
  CounterTarget target;
  target.cpus = {0, 7};
  auto set = Open(*backend, "aperf", target);
  ASSERT_TRUE(set->Enable().ok());

  EXPECT_TRUE(set->slots()[0].status.ok());
  EXPECT_THAT(Message(set->slots()[1].status), HasSubstr("CPU 7 is offline"));
  EXPECT_EQ(Read(*set)[1].state, ReadingState::kNotSupported);
}

TEST_F(AperfMperfTest, BeforeEnableThereIsNoNumber) {
  auto backend = Create();
  auto set = Open(*backend, "aperf");

  EXPECT_THAT(Read(*set), Each(Field(&RawReading::state, ReadingState::kNotCounted)));
}

TEST_F(AperfMperfTest, CountsStandStillAfterDisable) {
  auto backend = Create();
  auto set = Open(*backend, "aperf");
  ASSERT_TRUE(set->Enable().ok());
  clock_.Advance(kSecondNs);
  Run(0, 20, 30);
  ASSERT_TRUE(set->Disable().ok());

  Run(0, 20, 30);
  clock_.Advance(kSecondNs);

  EXPECT_EQ(Read(*set)[0].raw_count, 30u);
  EXPECT_EQ(Read(*set)[0].enabled_ns, 1u * kSecondNs);
}

TEST_F(AperfMperfTest, RawContentsAreReadableBesideTheDifference) {
  auto backend = Create();
  CounterTarget cpu0;
  cpu0.cpus = {0};
  auto set = Open(*backend, "aperf,aperf_mperf/aperf,raw/", cpu0);
  ASSERT_TRUE(set->Enable().ok());
  const uint64_t at_start = device_.Get(0, 0xe8);
  Run(0, 20, 30);

  const auto readings = Read(*set);

  EXPECT_EQ(readings[0].raw_count, 30u);
  EXPECT_EQ(readings[1].raw_count, at_start + 30);
  EXPECT_EQ(Resolve(*backend, "aperf_mperf/aperf,raw/")->front().kind, CounterKind::kGauge);
}

TEST_F(AperfMperfTest, TheSmiCountIs32BitsWide) {
  auto backend = Create();
  ASSERT_EQ(LoadTraceStep("msr-smi.txt", 0, &device_), 1);
  CounterTarget cpu0;
  cpu0.cpus = {0};
  auto set = Open(*backend, "smi", cpu0);
  ASSERT_TRUE(set->Enable().ok());

  ASSERT_EQ(LoadTraceStep("msr-smi.txt", 1, &device_), 1);

  EXPECT_EQ(Read(*set)[0].raw_count, 5u);
}

TEST_F(AperfMperfTest, AFaultingSmiRegisterLeavesTheOthersAlone) {
  device_.TakeOffline(0);
  device_.Set(0, 0xe7, 0x1000);
  device_.Set(0, 0xe8, 0x1000);

  auto backend = Create();

  EXPECT_TRUE(backend->Describe().availability.ok());
  EXPECT_THAT(Message(backend->ListCounters()[2].availability), HasSubstr("SMI_COUNT"));
  EXPECT_FALSE(Resolve(*backend, "smi").ok());
  EXPECT_TRUE(Resolve(*backend, "aperf").ok());
}

// The same code on the simulated hardware: counts are the model's to the unit.
TEST(AperfMperfSimulated, CountsWhatTheModelCounts) {
  FakeClock clock;
  auto machine = SimulatedMachine::Create(
      {"aperf-mperf:cpus=2,cycles=3G,nominal=2G,busy.1=0", "smi:period=100ms,duration=1ms"},
      &clock);
  ASSERT_TRUE(machine.ok()) << machine.status();
  SimulatedCpus* cpus = (*machine)->cpus();
  AperfMperfOptions options;
  options.device = cpus;
  options.cpuid = cpus;
  options.clock = &clock;
  options.busy_loop = [&](int, int64_t duration_ns) {
    clock.Advance(duration_ns);
    return absl::OkStatus();
  };
  options.online_cpus = [cpus] { return cpus->OnlineCpus(); };
  options.simulated = true;
  auto backend = AperfMperfBackend::Create(std::move(options));
  ASSERT_TRUE(backend->Describe().availability.ok()) << backend->Describe().availability;
  EXPECT_TRUE(backend->Describe().simulated);
  std::vector<ResolvedEvent> events;
  const auto specs = ParseEventList("perf-aperf,perf-mperf,msr/smi/");
  for (const EventSpec& spec : *specs) {
    const auto resolved = backend->Resolve(spec, {});
    ASSERT_TRUE(resolved.ok()) << resolved.status();
    EXPECT_TRUE(resolved->front().simulated);
    events.push_back(resolved->front());
  }
  auto set = backend->Open(events, {});
  ASSERT_TRUE(set.ok());
  ASSERT_TRUE((*set)->Enable().ok());

  clock.Advance(kSecondNs);
  ASSERT_TRUE((*set)->Disable().ok());
  std::vector<RawReading> readings(6);
  (*set)->Read(absl::MakeSpan(readings));

  EXPECT_EQ(readings[0].raw_count, 3'000'000'000u);
  EXPECT_EQ(readings[1].raw_count, 0u);  // idle
  EXPECT_EQ(readings[2].raw_count, 2'000'000'000u);
  EXPECT_EQ(readings[4].raw_count, 10u);
  EXPECT_EQ(backend->Describe().facts[0].number, 2e9);
}

}  // namespace
}  // namespace pmu::server
