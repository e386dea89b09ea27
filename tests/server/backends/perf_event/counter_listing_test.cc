#include "server/backends/perf_event/counter_listing.h"

#include <cerrno>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "common/event_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/backends/perf_event/event_resolver.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_perf_syscalls.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

std::map<std::string, CounterInfo> ListTree(const std::string& root,
                                            PerfSyscalls* probe = nullptr) {
  const PmuRegistry registry = PmuRegistry::Scan(root);
  ListingContext context;
  context.root = root;
  context.registry = &registry;
  context.probe = probe;
  std::map<std::string, CounterInfo> counters;
  for (CounterInfo& counter : ListPerfCounters(context)) {
    const std::string name = counter.name;
    EXPECT_TRUE(counters.emplace(name, std::move(counter)).second) << name << " is listed twice";
  }
  return counters;
}

TEST(CounterListingTest, NamedEventsWithUnitScaleAndDomain) {
  const auto counters = ListTree("tests/cases/sysfs/skx-2s36c");

  const CounterInfo& reads = counters.at("uncore_imc_0/cas_count_read/");
  EXPECT_EQ(reads.unit, "MiB");
  EXPECT_EQ(reads.scale, 6.103515625e-5);
  EXPECT_EQ(reads.domain, CounterDomain::kPackage);
  EXPECT_EQ(reads.pmu, "uncore_imc_0");
  EXPECT_EQ(counters.at("cpu/topdown-total-slots/").scale, 4);
  EXPECT_EQ(counters.at("msr/tsc/").combine, CombineRule::kNone);
  EXPECT_EQ(counters.at("task-clock").unit, "ns");
  EXPECT_EQ(counters.at("cycles").pmu, "cpu");
  EXPECT_EQ(counters.count("LLC-load-misses"), 1u);
}

TEST(CounterListingTest, OneBadAliasDoesNotEmptyTheList) {
  const auto counters = ListTree("tests/cases/sysfs/odd-aliases");

  EXPECT_TRUE(absl::StrContains(counters.at("oddpmu/unknown_term/").availability.message(), "zzz"));
  EXPECT_FALSE(counters.at("oddpmu/too_big/").availability.ok());
  EXPECT_FALSE(counters.at("oddpmu/empty/").availability.ok());
  EXPECT_FALSE(counters.at("badtype/x/").availability.ok());
  EXPECT_TRUE(counters.at("oddpmu/bare_term/").availability.ok());
  EXPECT_EQ(counters.at("oddpmu/sc_nan/").scale, 1);
  EXPECT_TRUE(absl::StrContains(counters.at("oddpmu/sc_nan/").description, "unusable"));
  EXPECT_EQ(counters.at("oddpmu/gauge/").kind, CounterKind::kGauge);
}

TEST(CounterListingTest, EventsThatNeedValuesSaySo) {
  const auto counters = ListTree("tests/cases/sysfs/juno-cci");

  const CounterInfo& counter = counters.at("CCI_400_r1/si_rrq_hs_any,source=?/");
  EXPECT_THAT(counter.required_terms, testing::ElementsAre("source"));
  EXPECT_TRUE(counter.availability.ok());
  EXPECT_EQ(counter.modifiers, "D");
  EXPECT_TRUE(counters.at("CCI_400_r1/cycles/").required_terms.empty());
}

// What is listed as available, and complete, resolves.
TEST(CounterListingTest, ListedNamesResolve) {
  for (const char* tree : {"skx-2s36c", "adl-hybrid", "juno-cci", "arm-n1-cmn", "odd-aliases"}) {
    const std::string root = std::string("tests/cases/sysfs/") + tree;
    const PmuRegistry registry = PmuRegistry::Scan(root);
    const EventResolver resolver(root, &registry, {});
    for (const auto& entry : ListTree(root)) {
      if (!entry.second.required_terms.empty()) continue;
      const auto specs = ParseEventList(entry.first);
      ASSERT_TRUE(specs.ok()) << entry.first << ": " << specs.status();
      const auto events = resolver.Resolve(specs->front(), CounterTarget());
      EXPECT_EQ(events.ok(), entry.second.availability.ok())
          << tree << " " << entry.first << ": " << events.status();
    }
  }
}

TEST(CounterListingTest, WhatTheKernelRefusesIsUnavailableWithTheReason) {
  FakeClock clock;
  FakePerfSyscalls syscalls(&clock);
  syscalls.FailOpens([](const FakePerfSyscalls::Event& event) {
    if (event.attr.type == PERF_TYPE_HW_CACHE) return ENOENT;
    return event.attr.type == 11 ? EACCES : 0;  // uncore_imc_0
  });

  const auto counters = ListTree("tests/cases/sysfs/skx-2s36c", &syscalls);

  EXPECT_TRUE(absl::StrContains(counters.at("LLC-loads").availability.message(), "not supported"));
  EXPECT_TRUE(absl::IsPermissionDenied(counters.at("uncore_imc_0/cas_count_read/").availability));
  EXPECT_TRUE(counters.at("uncore_imc_1/cas_count_read/").availability.ok());
  EXPECT_TRUE(counters.at("cycles").availability.ok());
  EXPECT_EQ(syscalls.open_count(), 0u);
}

TEST(CounterListingTest, Tracepoints) {
  ScratchTree tree;
  tree.CopyFrom("tests/cases/sysfs/vm-nopmu");
  tree.Write("/sys/kernel/tracing/events/sched/sched_switch/id", "316\n");
  tree.Write("/sys/kernel/tracing/events/sched/filter", "\n");
  tree.Write("/sys/kernel/tracing/events/enable", "0\n");

  const auto counters = ListTree(tree.root());

  EXPECT_EQ(counters.count("sched:sched_switch"), 1u);
  EXPECT_EQ(counters.count("sched:filter"), 0u);
}

}  // namespace
}  // namespace pmu::server
