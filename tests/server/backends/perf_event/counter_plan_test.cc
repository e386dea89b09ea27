#include "server/backends/perf_event/counter_plan.h"

#include <linux/perf_event.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using testing::ElementsAre;

ResolvedEvent Event(const std::string& text, const std::string& pmu, CpuList cpus, int group = 0) {
  ResolvedEvent event;
  event.text = text;
  event.pmu = pmu;
  event.encoding.type = pmu.empty() ? uint32_t{PERF_TYPE_SOFTWARE} : 20;
  event.cpus = std::move(cpus);
  event.group = group;
  return event;
}

CounterPlan Plan(const std::vector<ResolvedEvent>& events, const std::vector<pid_t>& threads = {},
                 bool cgroup = false) {
  std::vector<PlanInput> inputs;
  for (const ResolvedEvent& event : events) {
    PlanInput input;
    input.event = &event;
    inputs.push_back(input);
  }
  return PlanCounters(inputs, threads, cgroup);
}

// "cpu:event,event" of each group.
std::vector<std::string> Groups(const CounterPlan& plan) {
  std::vector<std::string> texts;
  for (const PlannedGroup& group : plan.groups) {
    std::string text = std::to_string(group.cpu >= 0 ? group.cpu : group.tid) + ":";
    for (const PlannedMember& member : group.members) text += std::to_string(member.event);
    texts.push_back(text);
  }
  return texts;
}

TEST(CounterPlanTest, UngroupedEventsAreGroupsOfOneInOrderOfCpu) {
  const CounterPlan plan = Plan({Event("a", "cpu", {0, 2}), Event("b", "cpu", {0, 2})});

  EXPECT_THAT(Groups(plan), ElementsAre("0:0", "0:1", "2:0", "2:1"));
  ASSERT_EQ(plan.slots.size(), 4u);
  EXPECT_EQ(plan.slots[1].event, 0);
  EXPECT_EQ(plan.slots[1].cpu, 2);
  EXPECT_EQ(plan.slots[2].event, 1);
  EXPECT_EQ(plan.descriptor_count(), 4u);
}

TEST(CounterPlanTest, AGroupIsOneKernelGroupPerCpu) {
  const CounterPlan plan =
      Plan({Event("a", "cpu", {0, 1}, 1), Event("s", "", {0, 1}, 1), Event("c", "cpu", {0, 1})});

  EXPECT_THAT(Groups(plan), ElementsAre("0:01", "0:2", "1:01", "1:2"));
}

TEST(CounterPlanTest, ThreadsOfAProcess) {
  const CounterPlan plan = Plan({Event("a", "cpu", {}, 1), Event("b", "", {}, 1)}, {7, 9});

  EXPECT_THAT(Groups(plan), ElementsAre("7:01", "9:01"));
  EXPECT_EQ(plan.slots[0].cpu, -1);
  EXPECT_EQ(plan.slots[1].tid, 9);
}

TEST(CounterPlanTest, HybridGroupBecomesAGroupPerCoreType) {
  const CounterPlan plan =
      Plan({Event("cycles", "cpu_core", {0}, 1), Event("cycles", "cpu_atom", {1}, 1),
            Event("clock", "", {0, 1}, 1), Event("slots", "cpu_core", {0}, 1)});

  EXPECT_THAT(Groups(plan), ElementsAre("0:023", "1:12"));
}

TEST(CounterPlanTest, HybridGroupOfAThread) {
  const CounterPlan plan = Plan({Event("cycles", "cpu_core", {}, 1),
                                 Event("cycles", "cpu_atom", {}, 1), Event("clock", "", {}, 1)},
                                {7});

  EXPECT_THAT(Groups(plan), ElementsAre("7:12", "7:0"));
}

TEST(CounterPlanTest, InstancesOfAnUncorePmuOnOneCpu) {
  const CounterPlan plan =
      Plan({Event("imc/a/", "imc_0", {0}, 1), Event("imc/a/", "imc_1", {0}, 1),
            Event("imc/b/", "imc_0", {0}, 1), Event("imc/b/", "imc_1", {0}, 1)});

  EXPECT_THAT(Groups(plan), ElementsAre("0:02", "0:13"));
}

TEST(CounterPlanTest, MixedPmusAreRefusedWithTheReason) {
  const CounterPlan plan =
      Plan({Event("cycles", "cpu", {0, 1}, 1), Event("imc_0/a/", "imc_0", {0}, 1),
            Event("other", "cpu", {0}, 2)});

  EXPECT_THAT(Groups(plan), ElementsAre("0:2"));
  ASSERT_EQ(plan.slots.size(), 4u);
  for (size_t slot = 0; slot < 3; ++slot) {
    EXPECT_TRUE(absl::IsFailedPrecondition(plan.slots[slot].status));
    EXPECT_TRUE(absl::StrContains(plan.slots[slot].status.message(), "'cpu' and 'imc_0'"));
  }
  EXPECT_TRUE(plan.slots[3].status.ok());
}

TEST(CounterPlanTest, WholeCpuEventsDoNotMixWithThoseOfATask) {
  const std::vector<ResolvedEvent> events = {Event("clock", "", {}, 1),
                                             Event("imc_0/a/", "imc_0", {0}, 1)};
  std::vector<PlanInput> inputs(2);
  inputs[0].event = &events[0];
  inputs[1].event = &events[1];
  inputs[1].ignores_task = true;

  const CounterPlan plan = PlanCounters(inputs, {7}, false);

  EXPECT_TRUE(plan.groups.empty());
  EXPECT_FALSE(plan.slots[0].status.ok());
}

TEST(CounterPlanTest, CgroupFlagOnlyWhereItIsCounted) {
  const std::vector<ResolvedEvent> events = {Event("clock", "", {0}),
                                             Event("imc_0/a/", "imc_0", {0})};
  std::vector<PlanInput> inputs(2);
  inputs[0].event = &events[0];
  inputs[1].event = &events[1];
  inputs[1].ignores_task = true;

  const CounterPlan plan = PlanCounters(inputs, {}, true);

  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_TRUE(plan.groups[0].for_cgroup);
  EXPECT_FALSE(plan.groups[1].for_cgroup);
}

TEST(CounterPlanTest, AnEventWithAStatusIsASlotAndNothingMore) {
  const ResolvedEvent event = Event("a", "cpu", {0});
  std::vector<PlanInput> inputs(1);
  inputs[0].event = &event;
  inputs[0].status = absl::FailedPreconditionError("not here");

  const CounterPlan plan = PlanCounters(inputs, {}, false);

  EXPECT_TRUE(plan.groups.empty());
  EXPECT_EQ(plan.slots[0].status.message(), "not here");
}

}  // namespace
}  // namespace pmu::server
