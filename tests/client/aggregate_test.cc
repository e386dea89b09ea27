#include "client/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "tests/common/case_table.h"

namespace pmu::client {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

CounterReading Reading(int cpu, uint64_t raw, uint64_t enabled_ns, uint64_t running_ns,
                       ReadingState state = ReadingState::kCounted) {
  CounterReading reading;
  reading.cpu = cpu;
  reading.reading = {raw, enabled_ns, running_ns, state};
  return reading;
}

EventResult Event(int index, std::vector<CounterReading> readings, const std::string& family = "") {
  EventResult result;
  result.event.set_requested_index(index);
  result.event.set_pmu(family);
  result.event.set_pmu_family(family);
  result.event.set_scale(1);
  result.event.set_kind(pmu::v1::COUNTER_KIND_DELTA);
  result.event.set_combine(pmu::v1::COMBINE_RULE_SUM);
  result.event.set_supported(true);
  result.readings = std::move(readings);
  return result;
}

EventResult Unsupported(int index, const std::string& reason) {
  EventResult result = Event(index, {});
  result.event.set_supported(false);
  result.event.set_reason(reason);
  return result;
}

HostResult Host(std::vector<EventResult> events, int64_t measured_ns = kSecond) {
  HostResult host;
  host.host = "host";
  host.measured_ns = measured_ns;
  host.events = std::move(events);
  return host;
}

HostResult FailedHost(const absl::Status& status) {
  HostResult host;
  host.status = status;
  return host;
}

MeasurementResult Result(std::vector<std::string> events, std::vector<HostResult> hosts) {
  MeasurementResult result;
  result.requested_events = std::move(events);
  result.hosts = std::move(hosts);
  return result;
}

TEST(AggregateTest, AddsCpusThenHosts) {
  const Report report = Aggregate(Result(
      {"faults"},
      {Host({Event(0, {Reading(0, 10, kSecond, kSecond), Reading(1, 20, kSecond, kSecond)})}),
       Host({Event(0, {Reading(0, 5, kSecond, kSecond)})}, kSecond / 2)}));

  ASSERT_EQ(report.rows.size(), 1u);
  const Row& row = report.rows[0];
  EXPECT_EQ(row.label, "faults");
  EXPECT_EQ(*row.cells[0].total.count, 30u);
  EXPECT_EQ(*row.cells[0].total.rate_per_s, 30);
  EXPECT_EQ(*row.cells[1].total.rate_per_s, 10);
  EXPECT_EQ(*row.total.count, 35u);
  EXPECT_EQ(*row.total.rate_per_s, 40);  // each host by its own time
  EXPECT_EQ(row.total.contributing, 3);
  EXPECT_EQ(row.total.expected, 3);
  EXPECT_EQ(row.spread.min(), 5);
  EXPECT_EQ(row.spread.max(), 30);
  EXPECT_EQ(row.contributing_hosts, 2);
  EXPECT_EQ(row.total.running_share, 1);
  EXPECT_TRUE(report.complete);
}

// Each counter by its own times, never by another's (SC-2).
TEST(AggregateTest, ScalesEachReadingByItsOwnTimesBeforeAdding) {
  const Report report = Aggregate(
      Result({"a", "b"}, {Host({Event(0, {Reading(0, 100, 1000, 500), Reading(1, 100, 1000, 1000)}),
                                Event(1, {Reading(0, 100, 1000, 250)})})}));

  EXPECT_EQ(*report.rows[0].total.count, 300u);
  EXPECT_EQ(report.rows[0].total.running_share, 0.75);
  EXPECT_EQ(*report.rows[1].total.count, 400u);
  EXPECT_EQ(report.rows[1].total.running_share, 0.25);
}

// The field cases on scaling, each as one host, and twice as two (SC-1, OU-4).
TEST(AggregateTest, TheScalingTableIsExact) {
  int rows = 0;
  for (const std::vector<std::string>& fields : ReadCaseTable("scaling.tsv", 5)) {
    const std::string line = absl::StrJoin(fields, " ");
    uint64_t raw = 0, enabled_ns = 0, running_ns = 0;
    ASSERT_TRUE(absl::SimpleAtoi(fields[0], &raw) && absl::SimpleAtoi(fields[1], &enabled_ns) &&
                absl::SimpleAtoi(fields[2], &running_ns));
    const HostResult host = Host({Event(0, {Reading(0, raw, enabled_ns, running_ns)})});
    const Report report = Aggregate(Result({"e"}, {host, host}));
    const Value& cell = report.rows[0].cells[0].total;
    const Value& total = report.rows[0].total;
    uint64_t want = 0;
    const std::string number = fields[3].substr(0, fields[3].find_first_of(" ,"));
    if (absl::SimpleAtoi(number, &want)) {
      EXPECT_EQ(*cell.count, want) << line;
      EXPECT_EQ(*total.count, absl::uint128(want) * 2) << line;
      EXPECT_EQ(report.rows[0].contributing_hosts, 2) << line;
    } else {
      EXPECT_FALSE(cell.count.has_value()) << line;
      EXPECT_FALSE(cell.value.has_value()) << line;
      EXPECT_EQ(cell.state, ReadingState::kNotCounted) << line;
      EXPECT_FALSE(total.count.has_value()) << line;
      EXPECT_EQ(report.rows[0].contributing_hosts, 0) << line;
      EXPECT_FALSE(report.complete) << line;
    }
    ++rows;
  }
  EXPECT_GE(rows, 7);
}

TEST(AggregateTest, SumsOverHostsDoNotWrapAtTwoToThe64) {
  const HostResult host = Host({Event(0, {Reading(0, uint64_t{1} << 63, kSecond, kSecond)})});

  const Report report = Aggregate(Result({"e"}, {host, host, host}));

  EXPECT_EQ(*report.rows[0].total.count, absl::MakeUint128(1, uint64_t{1} << 63));
  EXPECT_EQ(*report.rows[0].total.value, std::ldexp(3.0, 63));
}

TEST(AggregateTest, AMeasuredZeroIsAZero) {
  const Report report =
      Aggregate(Result({"e"}, {Host({Event(0, {Reading(0, 0, kSecond, kSecond)})})}));

  EXPECT_EQ(report.rows[0].total.state, ReadingState::kCounted);
  EXPECT_EQ(*report.rows[0].total.count, 0u);
  EXPECT_TRUE(report.complete);
}

TEST(AggregateTest, AFailedHostIsExpectedAndNeverASmallerSum) {
  const Report report =
      Aggregate(Result({"e"}, {Host({Event(0, {Reading(0, 7, kSecond, kSecond)})}),
                               FailedHost(absl::UnavailableError("connection refused"))}));

  const Row& row = report.rows[0];
  EXPECT_EQ(row.contributing_hosts, 1);
  EXPECT_EQ(row.expected_hosts, 2);
  EXPECT_FALSE(row.cells[1].total.value.has_value());
  EXPECT_EQ(row.cells[1].total.reason, "connection refused");
  EXPECT_FALSE(report.complete);
}

TEST(AggregateTest, RowsAppearInTheOrderAskedEvenWhenNobodyHasThem) {
  const Report report =
      Aggregate(Result({"bad", "good"}, {Host({Event(1, {Reading(0, 7, kSecond, kSecond)}),
                                               Unsupported(0, "no such event on this machine")})}));

  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].label, "bad");
  EXPECT_EQ(report.rows[0].cells[0].total.state, ReadingState::kNotSupported);
  EXPECT_EQ(report.rows[0].total.state, ReadingState::kNotSupported);
  EXPECT_EQ(report.rows[0].total.reason, "no such event on this machine");
  EXPECT_EQ(*report.rows[1].total.count, 7u);
  EXPECT_FALSE(report.complete);
}

TEST(AggregateTest, AllHostsFailedStillGivesEveryRow) {
  const Report report = Aggregate(Result({"a", "b"}, {FailedHost(absl::UnavailableError("gone"))}));

  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[1].expected_hosts, 1);
  EXPECT_EQ(report.rows[1].total.reason, "gone");
}

TEST(AggregateTest, APartOfTheCpusIsSaid) {
  CounterReading lost = Reading(3, 0, 0, 0, ReadingState::kNotSupported);
  lost.error = "CPU is offline";
  CounterReading lost_too = lost;
  lost_too.cpu = 2;
  const Report report = Aggregate(
      Result({"e"}, {Host({Event(0, {Reading(0, 7, kSecond, kSecond), lost, lost_too})})}));

  const HostCell& cell = report.rows[0].cells[0];
  EXPECT_EQ(*cell.total.count, 7u);
  EXPECT_EQ(cell.total.contributing, 1);
  EXPECT_EQ(cell.total.expected, 3);
  ASSERT_EQ(cell.warnings.size(), 1u);
  EXPECT_EQ(cell.warnings[0], "CPU 2-3: CPU is offline");
  EXPECT_EQ(cell.cpus[2].value.reason, "CPU is offline");
  EXPECT_FALSE(report.complete);
}

TEST(AggregateTest, DoubtGoesUpIntoEverySum) {
  const Report report = Aggregate(Result(
      {"e"},
      {Host({Event(0, {Reading(0, 7, kSecond, kSecond, ReadingState::kCpuLost),
                       Reading(1, 1, kSecond, kSecond)})}),
       Host({Event(0, {Reading(0, 7, kSecond, kSecond, ReadingState::kOverflowSuspected)})})}));

  EXPECT_EQ(report.rows[0].cells[0].total.state, ReadingState::kCpuLost);
  EXPECT_EQ(*report.rows[0].cells[0].total.count, 8u);
  EXPECT_EQ(report.rows[0].total.state, ReadingState::kOverflowSuspected);
  EXPECT_FALSE(report.complete);  // for the lost CPU
}

TEST(AggregateTest, WhatMustNotBeAddedIsNot) {
  EventResult aperf =
      Event(0, {Reading(0, 10, kSecond, kSecond), Reading(1, 30, kSecond, kSecond)});
  aperf.event.set_combine(pmu::v1::COMBINE_RULE_NONE);
  EventResult single = aperf;
  single.readings.pop_back();
  const Report report = Aggregate(Result({"aperf"}, {Host({aperf}), Host({single})}));

  const Row& row = report.rows[0];
  EXPECT_FALSE(row.summable);
  EXPECT_FALSE(row.total.value.has_value());
  EXPECT_FALSE(row.total.count.has_value());
  EXPECT_FALSE(row.cells[0].total.value.has_value());
  ASSERT_EQ(row.cells[0].cpus.size(), 2u);
  EXPECT_EQ(*row.cells[0].cpus[1].value.count, 30u);
  EXPECT_EQ(*row.cells[1].total.count, 10u);  // exactly one counter
  EXPECT_EQ(row.spread.count(), 3);
  EXPECT_EQ(row.spread.max(), 30);
  EXPECT_EQ(row.contributing_hosts, 2);
  EXPECT_TRUE(report.complete);
}

TEST(AggregateTest, GaugesHaveNoRate) {
  EventResult gauge = Event(0, {Reading(0, 42, kSecond, kSecond)});
  gauge.event.set_kind(pmu::v1::COUNTER_KIND_GAUGE);
  gauge.event.set_combine(pmu::v1::COMBINE_RULE_UNSPECIFIED);

  const Report report = Aggregate(Result({"temperature"}, {Host({gauge})}));

  EXPECT_FALSE(report.rows[0].summable);
  EXPECT_EQ(*report.rows[0].cells[0].total.value, 42);
  EXPECT_FALSE(report.rows[0].cells[0].total.rate_per_s.has_value());
}

TEST(AggregateTest, NoTimeNoRate) {
  const Report report =
      Aggregate(Result({"e"}, {Host({Event(0, {Reading(0, 7, 1, 1)})}, /*measured_ns=*/0)}));

  EXPECT_EQ(*report.rows[0].total.value, 7);
  EXPECT_FALSE(report.rows[0].total.rate_per_s.has_value());
}

TEST(AggregateTest, InstancesOfAPmuAreOneRow) {
  EventResult first =
      Event(0, {Reading(0, 10, kSecond, kSecond), Reading(18, 1, kSecond, kSecond)}, "uncore_imc");
  EventResult second = first;
  first.event.set_pmu("uncore_imc_0");
  second.event.set_pmu("uncore_imc_1");
  for (EventResult* event : {&first, &second}) {
    event->event.set_unit("MiB");
    event->event.set_scale(0.5);
  }
  const Report report = Aggregate(Result({"uncore_imc/cas/"}, {Host({first, second})}));

  ASSERT_EQ(report.rows.size(), 1u);
  const Row& row = report.rows[0];
  EXPECT_EQ(row.label, "uncore_imc/cas/");
  EXPECT_EQ(row.unit, "MiB");
  EXPECT_EQ(*row.total.count, 22u);
  EXPECT_EQ(*row.total.value, 11);
  ASSERT_EQ(row.cells[0].cpus.size(), 2u);
  EXPECT_EQ(*row.cells[0].cpus[0].value.count, 20u);
  EXPECT_EQ(row.cells[0].cpus[0].raw_count, 20u);
}

// A task that spent 99.8% on the big cores (SY-5): the sum is the true count,
// and the little cores' row is no 500-fold guess.
TEST(AggregateTest, HybridEventsGiveARowPerKindAndTheirSum) {
  EventResult core = Event(0, {Reading(-1, 998'000, kSecond, kSecond / 1000 * 998)}, "cpu_core");
  EventResult atom = Event(0, {Reading(-1, 2'000, kSecond, kSecond / 1000 * 2)}, "cpu_atom");
  core.event.set_placement_bound(true);
  atom.event.set_placement_bound(true);
  MeasurementResult result = Result({"cycles"}, {Host({core, atom})});
  result.follows_task = true;

  const Report report = Aggregate(std::move(result));

  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].label, "cycles [cpu_core]");
  EXPECT_EQ(*report.rows[0].total.count, 998'000u);
  EXPECT_EQ(report.rows[0].total.running_share, 1);
  EXPECT_EQ(report.rows[1].label, "cycles [cpu_atom]");
  EXPECT_EQ(report.rows[1].pmu, "cpu_atom");
  EXPECT_EQ(*report.rows[1].total.count, 2'000u);
  EXPECT_EQ(report.rows[2].label, "cycles (sum of 2 PMUs)");
  EXPECT_TRUE(report.rows[2].is_sum);
  EXPECT_EQ(*report.rows[2].total.count, 1'000'000u);
  EXPECT_TRUE(report.complete);
}

TEST(AggregateTest, ATaskThatNeverLeftOneKindOfCoreLosesNothing) {
  EventResult core = Event(0, {Reading(-1, 500, kSecond, kSecond)}, "cpu_core");
  EventResult atom = Event(0, {Reading(-1, 0, kSecond, 0, ReadingState::kNotCounted)}, "cpu_atom");
  core.event.set_placement_bound(true);
  atom.event.set_placement_bound(true);

  const Report report = Aggregate(Result({"cycles"}, {Host({core, atom})}));

  EXPECT_FALSE(report.rows[1].total.value.has_value());
  EXPECT_EQ(report.rows[1].cells[0].total.reason, "never ran on a CPU of cpu_atom");
  EXPECT_EQ(*report.rows[2].total.count, 500u);
  EXPECT_EQ(report.rows[2].total.expected, 1);
  EXPECT_TRUE(report.complete);
}

TEST(AggregateTest, AHybridAndAPlainMachineTogether) {
  const Report report =
      Aggregate(Result({"cycles"}, {Host({Event(0, {Reading(0, 1, kSecond, kSecond)}, "cpu_core"),
                                          Event(0, {Reading(8, 2, kSecond, kSecond)}, "cpu_atom")}),
                                    Host({Event(0, {Reading(0, 4, kSecond, kSecond)}, "cpu")}),
                                    Host({Unsupported(0, "no hardware counters")})}));

  ASSERT_EQ(report.rows.size(), 4u);
  EXPECT_EQ(report.rows[0].cells[1].total.reason, "this host has no PMU cpu_core");
  EXPECT_EQ(report.rows[0].cells[2].total.reason, "no hardware counters");
  EXPECT_EQ(report.rows[0].expected_hosts, 2);
  EXPECT_EQ(*report.rows[3].total.count, 7u);
  EXPECT_EQ(report.rows[3].contributing_hosts, 2);
  EXPECT_EQ(report.rows[3].expected_hosts, 3);
}

TEST(AggregateTest, DifferentPmusOnDifferentHostsAreOneRow) {
  const Report report = Aggregate(
      Result({"cycles"}, {Host({Event(0, {Reading(0, 1, kSecond, kSecond)}, "cpu")}),
                          Host({Event(0, {Reading(0, 2, kSecond, kSecond)}, "armv8_pmuv3_0")})}));

  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].label, "cycles");
  EXPECT_EQ(*report.rows[0].total.count, 3u);
}

TEST(AggregateTest, CpusWhereACgroupNeverRanAreNoLoss) {
  MeasurementResult result =
      Result({"e"}, {Host({Event(0, {Reading(0, 7, kSecond, kSecond),
                                     Reading(1, 0, 0, 0, ReadingState::kNotCounted)})})});
  MeasurementResult system_wide = result;
  result.follows_task = true;

  const Report report = Aggregate(std::move(result));
  const Report missing = Aggregate(std::move(system_wide));

  EXPECT_EQ(*report.rows[0].total.count, 7u);
  EXPECT_EQ(report.rows[0].total.expected, 1);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(missing.rows[0].total.expected, 2);
  EXPECT_FALSE(missing.complete);
}

TEST(AggregateTest, ATaskThatNeverRanHasNoNumber) {
  MeasurementResult result =
      Result({"e"}, {Host({Event(0, {Reading(0, 0, 0, 0, ReadingState::kNotCounted)})})});
  result.follows_task = true;

  const Report report = Aggregate(std::move(result));

  EXPECT_FALSE(report.rows[0].total.value.has_value());
  EXPECT_EQ(report.rows[0].cells[0].total.reason, "what was measured never ran");
  EXPECT_FALSE(report.complete);
}

TEST(AggregateTest, HostsWithDifferentUnitsAreNotAdded) {
  EventResult mib = Event(0, {Reading(0, 1, kSecond, kSecond)});
  mib.event.set_unit("MiB");
  mib.event.set_scale(0.5);
  EventResult raw = Event(0, {Reading(0, 1, kSecond, kSecond)});

  const Report report = Aggregate(Result({"e"}, {Host({mib}), Host({raw})}));

  EXPECT_FALSE(report.rows[0].total.value.has_value());
  EXPECT_EQ(report.rows[0].total.reason, "hosts give different units: not added");
}

TEST(AggregateTest, DifferentScalesOfOneUnitAddAsValues) {
  EventResult coarse = Event(0, {Reading(0, 3, kSecond, kSecond)});
  coarse.event.set_unit("Joules");
  coarse.event.set_scale(0.5);
  EventResult fine = coarse;
  fine.event.set_scale(0.25);

  const Report report = Aggregate(Result({"energy"}, {Host({coarse}), Host({fine})}));

  EXPECT_EQ(*report.rows[0].total.value, 2.25);
  EXPECT_FALSE(report.rows[0].total.count.has_value());
}

TEST(AggregateTest, NothingFromTheWireMakesNanOrInfinity) {
  for (double scale :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 0.0,
        -1.0, std::numeric_limits<double>::max()}) {
    EventResult event = Event(0, {Reading(0, ~uint64_t{0}, ~uint64_t{0}, 1)});
    event.event.set_scale(scale);
    event.event.set_unit("W");
    const Report report = Aggregate(Result({"e"}, {Host({event}, 1), Host({event}, 1)}));

    const Row& row = report.rows[0];
    for (const Value* value : {&row.total, &row.cells[0].total}) {
      EXPECT_TRUE(std::isfinite(value->value.value_or(0))) << scale;
      EXPECT_TRUE(std::isfinite(value->rate_per_s.value_or(0))) << scale;
    }
    EXPECT_TRUE(std::isfinite(row.scale));
    EXPECT_TRUE(std::isfinite(row.spread.mean()));
    EXPECT_TRUE(std::isfinite(row.spread.stddev()));
  }
}

// A self-test that saw a counter stand still is said beside the number (SC-5).
TEST(AggregateTest, WarningsStayAndAreSaidOnce) {
  EventResult event = Event(0, {Reading(0, 395, 1027487719, 1027487719)});
  event.event.add_warnings("cpu counts implausibly little: 395 in 1 s of a busy loop");
  EventResult again = event;

  const Report report = Aggregate(Result({"instructions"}, {Host({event, again})}));

  ASSERT_EQ(report.rows[0].cells[0].warnings.size(), 1u);
  EXPECT_EQ(report.rows[0].cells[0].warnings[0],
            "cpu counts implausibly little: 395 in 1 s of a busy loop");
}

TEST(AggregateTest, PerCpuValuesAreInOrderOfTheCpus) {
  const Report report = Aggregate(Result(
      {"e"},
      {Host({Event(0, {Reading(5, 1, 10, 10), Reading(0, 2, 10, 5), Reading(3, 3, 10, 10)})})}));

  const std::vector<PerCpuValue>& cpus = report.rows[0].cells[0].cpus;
  ASSERT_EQ(cpus.size(), 3u);
  EXPECT_EQ(cpus[0].cpu, 0);
  EXPECT_EQ(*cpus[0].value.count, 4u);
  EXPECT_EQ(cpus[0].raw_count, 2u);
  EXPECT_EQ(cpus[0].running_ns, 5u);
  EXPECT_EQ(cpus[2].cpu, 5);
}

}  // namespace
}  // namespace pmu::client
