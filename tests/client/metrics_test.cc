#include "client/metrics.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// counts[host][event] = count per CPU; an event that is missing is no row's cell.
Report ReportOf(const std::vector<std::string>& events,
                const std::vector<std::map<std::string, std::map<int, double>>>& counts) {
  Report report;
  report.result.requested_events = events;
  report.result.hosts.resize(counts.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Row row;
    row.requested_index = static_cast<int>(i);
    for (const auto& host : counts) {
      HostCell cell;
      const auto found = host.find(events[i]);
      if (found != host.end()) {
        double total = 0;
        for (const auto& [cpu, count] : found->second) {
          PerCpuValue value;
          value.cpu = cpu;
          value.value.value = count;
          cell.cpus.push_back(value);
          total += count;
        }
        cell.total.value = total;
      }
      row.cells.push_back(cell);
    }
    report.rows.push_back(row);
  }
  return report;
}

MetricRow Evaluate(const std::string& definition, const Report& report) {
  auto metrics = FindMetrics(definition);
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  return EvaluateMetrics(*metrics, report)[0];
}

TEST(MetricsTest, PerHostUsesTheHostsSums) {
  const Report report =
      ReportOf({"instructions", "cycles"},
               {{{"instructions", {{0, 10}, {1, 30}}}, {"cycles", {{0, 10}, {1, 10}}}},
                {{"instructions", {{0, 8}}}, {"cycles", {{0, 8}}}}});
  const MetricRow row = Evaluate("ipc", report);
  EXPECT_EQ(row.cells[0].metric.number, 2);
  EXPECT_EQ(row.cells[1].metric.number, 1);
  EXPECT_EQ(row.spread.mean(), 1.5);
  EXPECT_EQ(row.contributing_hosts, 2);
}

// A CPU without its cycles must not lend its instructions to the ratio.
TEST(MetricsTest, PerHostTakesOnlyCpusThatHaveEveryInput) {
  const Report report = ReportOf({"instructions", "cycles"},
                                 {{{"instructions", {{0, 10}, {1, 1000}}}, {"cycles", {{0, 10}}}}});
  EXPECT_EQ(Evaluate("ipc", report).cells[0].metric.number, 1);
}

TEST(MetricsTest, PerCpuComputesEachRatioFirst) {
  const Report report =
      ReportOf({"a", "m"}, {{{"a", {{0, 30}, {1, 5}}}, {"m", {{0, 10}, {1, 10}, {2, 7}}}}});
  const MetricRow row = Evaluate("ratio per cpu = a / m", report);
  ASSERT_THAT(row.cells[0].cpus, SizeIs(3));
  EXPECT_EQ(row.cells[0].cpus[0].metric.number, 3);
  EXPECT_EQ(row.cells[0].cpus[1].metric.number, 0.5);
  EXPECT_EQ(row.cells[0].cpus[2].metric.reason, "not counted: a");
  EXPECT_EQ(row.spread.count(), 2);
}

TEST(MetricsTest, MissingInputIsSaidPerHost) {
  const Report report = ReportOf({"instructions"}, {{{"instructions", {{0, 10}}}}});
  const MetricRow row = Evaluate("ipc", report);
  EXPECT_FALSE(row.cells[0].metric.number.has_value());
  EXPECT_EQ(row.cells[0].metric.reason, "not counted: cycles");
  EXPECT_EQ(row.contributing_hosts, 0);
}

TEST(MetricsTest, ModifiersDoNotHideAnEventButAnExactMatchWins) {
  const Report report =
      ReportOf({"instructions:u", "cycles:u", "cycles"},
               {{{"instructions:u", {{0, 30}}}, {"cycles:u", {{0, 10}}}, {"cycles", {{0, 15}}}}});
  EXPECT_EQ(Evaluate("ipc", report).cells[0].metric.number, 2);
}

TEST(MetricsTest, FactsOfTheHostAreInputsToo) {
  Report report =
      ReportOf({"perf-aperf", "perf-mperf"},
               {{{"perf-aperf", {{0, 30}, {1, 10}}}, {"perf-mperf", {{0, 20}, {1, 20}}}}});
  pmu::v1::Host identity;
  pmu::v1::BackendFact* fact = identity.add_backends()->add_facts();
  fact->set_name("nominal-frequency");
  fact->set_number(2e9);
  report.result.hosts[0].identity = identity;
  const MetricRow row = Evaluate("effective-frequency", report);
  ASSERT_THAT(row.cells[0].cpus, SizeIs(2));
  EXPECT_DOUBLE_EQ(*row.cells[0].cpus[0].metric.number, 3);
  EXPECT_DOUBLE_EQ(*row.cells[0].cpus[1].metric.number, 1);
}

// Whatever the formula, the events are asked for once, and facts never.
TEST(MetricsTest, EventsOfMetrics) {
  auto metrics = FindMetrics("effective-frequency");
  ASSERT_TRUE(metrics.ok());
  EXPECT_THAT(EventsOf(*metrics), ::testing::ElementsAre("perf-aperf", "perf-mperf"));
}

TEST(MetricsTest, EveryNamedMetricParses) {
  for (const NamedMetric& named : NamedMetrics()) {
    const auto metric = MetricExpr::Parse(named.definition);
    EXPECT_TRUE(metric.ok()) << metric.status();
    EXPECT_THAT(named.description, ::testing::Not(IsEmpty()));
  }
}

TEST(MetricsTest, UnknownNameListsTheKnown) {
  const auto metrics = FindMetrics("icp");
  EXPECT_EQ(metrics.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(metrics.status().message()), HasSubstr("ipc"));
}

// An event of a CCI-400 as one host resolved it.
void Resolve(int requested_index, const std::string& backend, const std::string& pmu,
             uint64_t select, Report* report) {
  EventResult event;
  event.event.set_requested_index(requested_index);
  event.event.set_backend(backend);
  event.event.set_pmu(pmu);
  event.event.mutable_encoding()->set_config(select);
  report->result.hosts[0].events.push_back(event);
}

TEST(MetricsTest, SnoopHitRatesOfTheInterfacesThatWereMeasuredHoweverSpelled) {
  Report report = ReportOf({"cci400/si_rrq_hs_inner_or_outershareable,source=S4/", "cci400/x/"},
                           {{{"cci400/si_rrq_hs_inner_or_outershareable,source=S4/", {{-1, 200}}},
                             {"cci400/x/", {{-1, 50}}}}});
  Resolve(0, "cci400", "cci400", 0x83, &report);
  Resolve(1, "perf_event", "CCI_400_r1", 0x8a, &report);
  auto metrics = FindMetrics("cci-snoop-hit-rate");
  ASSERT_TRUE(metrics.ok());

  const std::vector<MetricRow> rows = EvaluateMetrics(*metrics, report);

  EXPECT_THAT(EventsOf(*metrics), IsEmpty());
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].name, "cci-snoop-hit-rate-S4");
  EXPECT_EQ(rows[0].cells[0].metric.number, 25);
}

TEST(MetricsTest, TheSameNumberOnAnotherPmuIsAnotherEvent) {
  Report report = ReportOf({"r83", "r8a"}, {{{"r83", {{-1, 200}}}, {"r8a", {{-1, 50}}}}});
  Resolve(0, "perf_event", "cpu", 0x83, &report);
  Resolve(1, "perf_event", "cpu", 0x8a, &report);

  EXPECT_THAT(EvaluateMetrics(*FindMetrics("cci-snoop-hit-rate"), report), IsEmpty());
}

}  // namespace
}  // namespace pmu::client
