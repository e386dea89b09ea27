// Where events are opened, what surrounds their numbers, and what the errors
// say. The numbers themselves: event_strings_test.
#include "server/backends/perf_event/event_resolver.h"

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "common/event_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using Resolved = absl::StatusOr<std::vector<ResolvedEvent>>;

class ResolverOf {
 public:
  explicit ResolverOf(const std::string& tree, std::map<std::string, std::string> warnings = {})
      : root_(absl::StartsWith(tree, "/") ? tree : "tests/cases/sysfs/" + tree),
        registry_(PmuRegistry::Scan(root_)),
        resolver_(root_, &registry_, std::move(warnings)) {}

  Resolved operator()(const std::string& text, const CounterTarget& target = {}) const {
    const absl::StatusOr<std::vector<EventSpec>> specs = ParseEventList(text);
    if (!specs.ok()) return specs.status();
    return resolver_.Resolve(specs->front(), target);
  }

 private:
  std::string root_;
  PmuRegistry registry_;
  EventResolver resolver_;
};

CounterTarget OnCpus(CpuList cpus) {
  CounterTarget target;
  target.cpus = std::move(cpus);
  return target;
}

CounterTarget OfPid(pid_t pid) {
  CounterTarget target;
  target.pid = pid;
  return target;
}

void ExpectMessageHolds(const Resolved& events, const std::string& words) {
  ASSERT_FALSE(events.ok());
  EXPECT_TRUE(absl::StrContains(events.status().message(), words)) << events.status();
}

TEST(EventResolverTest, UncoreEventsOpenOnTheirCpumask) {
  const Resolved events = ResolverOf("skx-2s36c")("uncore_imc_0/cas_count_read/");

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().cpus, CpuList({0, 18}));
  EXPECT_EQ(events->front().unit, "MiB");
  EXPECT_EQ(events->front().scale, 6.103515625e-5);
  EXPECT_EQ(events->front().domain, CounterDomain::kPackage);
  EXPECT_TRUE(events->front().warnings.empty());
}

TEST(EventResolverTest, UncoreEventOfAProcessIsSystemWideAndSaysSo) {
  const Resolved events = ResolverOf("skx-2s36c")("uncore_imc_0/cas_count_read/", OfPid(1));

  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->front().cpus, CpuList({0, 18}));
  ASSERT_EQ(events->front().warnings.size(), 1u);
  EXPECT_EQ(events->front().warnings[0], "counts system-wide on CPU 0,18, not only the process");
}

TEST(EventResolverTest, PmuPrefixIsOneFamily) {
  const Resolved events = ResolverOf("skx-2s36c")("uncore_imc/cas_count_read/");

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 3u);
  for (const ResolvedEvent& event : *events) EXPECT_EQ(event.pmu_family, "uncore_imc");
  EXPECT_EQ((*events)[2].pmu, "uncore_imc_2");
  EXPECT_EQ((*events)[2].encoding.type, 13u);
}

TEST(EventResolverTest, OnlyOnlineCpus) {
  const Resolved events = ResolverOf("offline-cpus")("cycles");

  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(FormatCpuList(events->front().cpus), "0-11,16-27");
}

TEST(EventResolverTest, OfflineAndAbsentCpusAreNamed) {
  const ResolverOf resolve("offline-cpus");

  const Resolved offline = resolve("page-faults", OnCpus({3, 12, 13}));
  const Resolved absent = resolve("page-faults", OnCpus({500}));

  EXPECT_TRUE(absl::IsInvalidArgument(offline.status()));
  ExpectMessageHolds(offline, "CPU 12-13 is offline");
  ExpectMessageHolds(absent, "CPU 500 does not exist");
}

TEST(EventResolverTest, NoCpuInCommonWithTheCpumaskIsExplained) {
  const Resolved events = ResolverOf("skx-2s36c")("power/energy-pkg/", OnCpus({1, 2}));

  EXPECT_TRUE(absl::IsFailedPrecondition(events.status()));
  ExpectMessageHolds(events, "counted on CPU 0,18 only");
}

TEST(EventResolverTest, CyclesOnAHybridMachineIsAnEventPerCoreType) {
  const Resolved events = ResolverOf("adl-hybrid")("cycles");

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].pmu_family, "cpu_atom");
  EXPECT_EQ((*events)[0].encoding.type, 0u);
  EXPECT_EQ((*events)[0].encoding.config, uint64_t{10} << 32);
  EXPECT_EQ(FormatCpuList((*events)[0].cpus), "16-23");
  EXPECT_EQ((*events)[1].pmu_family, "cpu_core");
  EXPECT_EQ((*events)[1].encoding.config, uint64_t{4} << 32);
  EXPECT_EQ(FormatCpuList((*events)[1].cpus), "0-15");
  EXPECT_FALSE((*events)[0].placement_bound);
}

TEST(EventResolverTest, OnAHybridMachineAProcessMovesBetweenCoreTypes) {
  const Resolved events = ResolverOf("adl-hybrid")("instructions", OfPid(1));

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  for (const ResolvedEvent& event : *events) {
    EXPECT_TRUE(event.placement_bound);
    EXPECT_TRUE(event.cpus.empty());
    EXPECT_EQ(event.domain, CounterDomain::kTask);
  }
}

TEST(EventResolverTest, CpuListChoosesTheCoreTypes) {
  const Resolved events = ResolverOf("adl-hybrid")("cycles", OnCpus({2, 3}));

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().pmu, "cpu_core");
}

TEST(EventResolverTest, ArmCoresByTheirOwnNames) {
  const Resolved events = ResolverOf("juno-cci")("cycles");

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].encoding.type, 8u);
  EXPECT_EQ((*events)[0].encoding.config, 0x11u);
  EXPECT_EQ((*events)[0].cpus, CpuList({0, 3, 4, 5}));
  EXPECT_EQ((*events)[1].encoding.type, 9u);
  EXPECT_EQ((*events)[1].cpus, CpuList({1, 2}));
}

TEST(EventResolverTest, RawOnAHybridMachineNamesEachPmu) {
  const Resolved events = ResolverOf("adl-hybrid")("r1a8");

  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].encoding.type, 10u);
  EXPECT_EQ((*events)[1].encoding.type, 4u);
  EXPECT_EQ((*events)[1].encoding.config, 0x1a8u);
}

TEST(EventResolverTest, HomogeneousProcessIsNotPlacementBound) {
  EXPECT_FALSE(ResolverOf("skx-2s36c")("cycles", OfPid(1))->front().placement_bound);
  EXPECT_FALSE(ResolverOf("arm-n1-cmn")("cycles", OfPid(1))->front().placement_bound);
}

TEST(EventResolverTest, WithoutACorePmuTheKernelDecides) {
  const Resolved events = ResolverOf("vm-nopmu")("cycles:u");

  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->front().encoding.type, 0u);
  EXPECT_EQ(events->front().encoding.config, 0u);
  EXPECT_TRUE(events->front().encoding.exclude_kernel);
  EXPECT_EQ(FormatCpuList(events->front().cpus), "0-3");
}

TEST(EventResolverTest, GenericNameOnACorePmuWithoutThatAlias) {
  const Resolved events = ResolverOf("zen3")("cpu/ref-cycles/");

  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->front().encoding.type, 0u);
  EXPECT_EQ(events->front().encoding.config, 9u);
}

TEST(EventResolverTest, ClocksOfEveryCpuAreNotAdded) {
  const ResolverOf resolve("skx-2s36c");

  EXPECT_EQ(resolve("msr/tsc/")->front().combine, CombineRule::kNone);
  EXPECT_EQ(resolve("msr/event=0x1/")->front().combine, CombineRule::kNone);
  EXPECT_EQ(resolve("msr/smi/")->front().combine, CombineRule::kSum);
  EXPECT_EQ(resolve("msr/cpu_thermal_margin/")->front().kind, CounterKind::kGauge);
  EXPECT_EQ(resolve("msr/cpu_thermal_margin/")->front().combine, CombineRule::kNone);
  EXPECT_EQ(resolve("power/energy-pkg/")->front().combine, CombineRule::kSum);
}

TEST(EventResolverTest, FreeBsdsNamesOfTheMsrPmusClocks) {
  const ResolverOf resolve("skx-2s36c");

  for (const char* text : {"perf-aperf", "aperf"}) {
    const Resolved events = resolve(text);
    ASSERT_TRUE(events.ok()) << events.status();
    EXPECT_EQ(events->front().pmu, "msr");
    EXPECT_EQ(events->front().encoding.config, 1u);
    EXPECT_EQ(events->front().combine, CombineRule::kNone);
  }
  EXPECT_EQ(resolve("perf-mperf")->front().encoding.config, 2u);
  EXPECT_EQ(resolve("smi")->front().encoding.config, 4u);
  ExpectMessageHolds(resolve("perf-aperf:u"), "no user/kernel filter");
  ExpectMessageHolds(resolve("perf-aperf", OfPid(1)), "not to a process");
  EXPECT_TRUE(absl::IsNotFound(resolve("perf-tsc").status()));
}

TEST(EventResolverTest, LevelsOfPmusThatCannotTellThem) {
  const ResolverOf resolve("skx-2s36c");

  for (const char* text : {"msr/tsc/u", "power/energy-pkg/k", "uncore_imc_0/clockticks/u"}) {
    const Resolved events = resolve(text);
    EXPECT_TRUE(absl::IsInvalidArgument(events.status())) << text;
    ExpectMessageHolds(events, "no user/kernel filter");
  }
  EXPECT_TRUE(resolve("page-faults:k")->front().encoding.exclude_user);
}

TEST(EventResolverTest, Modifiers) {
  const ResolverOf resolve("skx-2s36c");

  const EventEncoding user_and_kernel = resolve("cycles:uk")->front().encoding;
  EXPECT_FALSE(user_and_kernel.exclude_user);
  EXPECT_FALSE(user_and_kernel.exclude_kernel);
  EXPECT_TRUE(user_and_kernel.exclude_hv);
  const EventEncoding guest = resolve("cycles:G")->front().encoding;
  EXPECT_TRUE(guest.exclude_host);
  EXPECT_FALSE(guest.exclude_guest);
  const EventEncoding plain = resolve("cycles")->front().encoding;
  EXPECT_FALSE(plain.exclude_guest);
  EXPECT_FALSE(plain.pinned);
  EXPECT_TRUE(resolve("cycles:D")->front().encoding.pinned);
  ExpectMessageHolds(resolve("cycles:pp"), "precise sampling");
}

TEST(EventResolverTest, RawTokenThatIsAlsoAPmuIsAnError) {
  const ResolverOf resolve("odd-aliases");

  EXPECT_TRUE(absl::IsInvalidArgument(resolve("r3c").status()));
  EXPECT_EQ(resolve("r3c/x/")->front().encoding.type, 51u);
}

TEST(EventResolverTest, RawTokenAsATermOfAPmu) {
  EXPECT_EQ(ResolverOf("skx-2s36c")("cpu/r1a8/")->front().encoding.config, 0x1a8u);
}

TEST(EventResolverTest, TyposGetASuggestion) {
  const ResolverOf resolve("skx-2s36c");

  ExpectMessageHolds(resolve("cylces"), "did you mean 'cycles'");
  ExpectMessageHolds(resolve("page_faults"), "did you mean 'page-faults'");
  ExpectMessageHolds(resolve("energy-pkg"), "did you mean 'power/energy-pkg/'");
  ExpectMessageHolds(resolve("uncore_icm_0/clockticks/"), "did you mean 'uncore_imc_0'");
  ExpectMessageHolds(resolve("cpu/evnt=1/"), "did you mean 'event'");
  ExpectMessageHolds(resolve("cpu/evnt=1/"), "at position 5");
  ExpectMessageHolds(resolve("cpu/evnt=1/"), "its terms: any cmask edge event");
  EXPECT_TRUE(absl::IsInvalidArgument(resolve("cpu/evnt=1/").status()));
  // Another machine's PMU may have it, or another backend.
  EXPECT_TRUE(absl::IsNotFound(resolve("cpu/no-such-event/").status()));
  EXPECT_TRUE(absl::IsNotFound(resolve("cylces").status()));
  EXPECT_TRUE(absl::IsNotFound(resolve("nosuchpmu/x/").status()));
}

TEST(EventResolverTest, TermGivenTwiceAndTwoEventsInOne) {
  const ResolverOf resolve("skx-2s36c");

  ExpectMessageHolds(resolve("cpu/event=1,event=2/"), "given twice");
  ExpectMessageHolds(resolve("cpu/instructions,ref-cycles/"), "two events");
}

TEST(EventResolverTest, UserTermsReplaceThoseOfTheAlias) {
  const ResolverOf resolve("skx-2s36c");

  // ref-cycles is event=0x00,umask=0x03.
  EXPECT_EQ(resolve("cpu/ref-cycles,umask=0x1/")->front().encoding.config, 0x100u);
  EXPECT_EQ(resolve("cpu/umask=0x1,ref-cycles/")->front().encoding.config, 0x100u);
  EXPECT_EQ(resolve("cpu/config=0xff,umask=0/")->front().encoding.config, 0xffu);
}

TEST(EventResolverTest, OddSysfsContent) {
  const ResolverOf resolve("odd-aliases");

  const Resolved bad_scale = resolve("oddpmu/sc_nan/");
  ASSERT_TRUE(bad_scale.ok()) << bad_scale.status();
  EXPECT_EQ(bad_scale->front().scale, 1);
  EXPECT_EQ(bad_scale->front().warnings.size(), 1u);
  EXPECT_EQ(resolve("oddpmu/gauge/")->front().kind, CounterKind::kGauge);
  EXPECT_EQ(resolve("oddpmu/needs_param,core=0x2/")->front().encoding.config1, 0x200000008u);
  EXPECT_FALSE(resolve("badtype/x/").ok());
  EXPECT_FALSE(resolve("notype/x/").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(resolve("badformat/junk=1/").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(resolve("oddpmu/unknown_term/").status()));
}

TEST(EventResolverTest, CciCyclesByNameAndByNumber) {
  const ResolverOf resolve("juno-cci");

  EXPECT_TRUE(resolve("CCI_400_r1/cycles/").ok());
  EXPECT_TRUE(resolve("CCI_400_r1/config=0xff/").ok());
  EXPECT_FALSE(resolve("CCI_400_r1/event=0x1f,source=7/").ok());
  EXPECT_TRUE(resolve("CCI_400_r1/event=0x1f,source=6/").ok());
}

TEST(EventResolverTest, ContradictoryTargets) {
  const ResolverOf resolve("skx-2s36c");
  CounterTarget both = OfPid(1);
  both.cgroup = "x";
  CounterTarget pid_and_cpus = OfPid(1);
  pid_and_cpus.cpus = {0};

  EXPECT_TRUE(absl::IsInvalidArgument(resolve("cycles", both).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(resolve("cycles", pid_and_cpus).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(resolve("cycles", OfPid(-3)).status()));
}

TEST(EventResolverTest, DistrustedPmuWarnsOnEveryEvent) {
  const ResolverOf resolve("skx-2s36c", {{"cpu", "do not trust"}});

  EXPECT_THAT(resolve("cycles")->front().warnings, testing::ElementsAre("do not trust"));
  EXPECT_THAT(resolve("r1a8")->front().warnings, testing::ElementsAre("do not trust"));
  EXPECT_THAT(resolve("cpu/event=1/")->front().warnings, testing::ElementsAre("do not trust"));
  EXPECT_TRUE(resolve("page-faults")->front().warnings.empty());
}

TEST(EventResolverTest, PerPackageEventIsOpenedOncePerPackage) {
  ScratchTree tree;
  tree.CopyFrom("tests/cases/sysfs/skx-2s36c");
  for (int cpu = 0; cpu < 36; ++cpu) {
    tree.Write(
        "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id",
        cpu < 18 ? "0\n" : "1\n");
  }
  tree.Write("/sys/bus/event_source/devices/cpu/events/occupancy", "event=0x1\n");
  tree.Write("/sys/bus/event_source/devices/cpu/events/occupancy.per-pkg", "1\n");
  const ResolverOf resolve(tree.root());

  const Resolved everywhere = resolve("cpu/occupancy/");
  const Resolved second_package = resolve("cpu/occupancy/", OnCpus({20, 21}));

  EXPECT_EQ(everywhere->front().cpus, CpuList({0, 18}));
  EXPECT_EQ(everywhere->front().domain, CounterDomain::kPackage);
  EXPECT_EQ(second_package->front().cpus, CpuList({20}));
}

TEST(EventResolverTest, DomainOfPmusWithACpumask) {
  EXPECT_EQ(ResolverOf("skx-2s36c")("cpu/event=1/")->front().domain, CounterDomain::kCpu);
  EXPECT_EQ(ResolverOf("juno-cci")("CCI_400_r1/cycles/")->front().domain, CounterDomain::kSystem);
}

TEST(EventResolverTest, TracepointNumbersComeFromTracefs) {
  ScratchTree tree;
  tree.CopyFrom("tests/cases/sysfs/vm-nopmu");
  tree.Write("/sys/kernel/debug/tracing/events/sched/sched_switch/id", "316\n");

  const Resolved events = ResolverOf(tree.root())("sched:sched_switch");

  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->front().encoding.type, 2u);
  EXPECT_EQ(events->front().encoding.config, 316u);
  EXPECT_EQ(events->front().pmu, "");
  ExpectMessageHolds(ResolverOf(tree.root())("sched:sched_swich"), "did you mean 'sched_switch'");
  EXPECT_TRUE(absl::IsNotFound(ResolverOf(tree.root())("shced:sched_switch").status()));
}

TEST(EventResolverTest, WithoutTracefsTheMountIsTold) {
  const Resolved events = ResolverOf("vm-nopmu")("sched:sched_switch");

  EXPECT_TRUE(absl::IsFailedPrecondition(events.status()));
  ExpectMessageHolds(events, "mount -t tracefs");
}

}  // namespace
}  // namespace pmu::server
