#include "client/report/repeats.h"

#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;

// Two hosts that counted `a` and `b`; below zero: that host failed.
Report ReportOf(double a, double b) {
  Report report;
  report.result.requested_events = {"page-faults"};
  report.result.hosts.resize(2);
  report.result.hosts[0].host = "n1";
  report.result.hosts[1].host = "n2";
  Row row;
  row.label = "page-faults";
  row.expected_hosts = 2;
  double sum = 0;
  for (const double value : {a, b}) {
    HostCell cell;
    cell.host = static_cast<int>(row.cells.size());
    if (value >= 0) {
      cell.total.value = value;
      sum += value;
      ++row.contributing_hosts;
    } else {
      report.result.hosts[cell.host].status = absl::UnavailableError("gone");
      report.complete = false;
    }
    row.cells.push_back(cell);
  }
  row.total.value = sum;
  report.rows.push_back(row);
  return report;
}

TEST(RepeatsTest, StatisticsOfTotalsAndHosts) {
  Repeats repeats;
  repeats.Add(ReportOf(10, 1));
  repeats.Add(ReportOf(20, 3));

  const RepeatedRow& row = repeats.rows().at(0);
  EXPECT_EQ(row.values[0].host, "");
  EXPECT_EQ(row.values[0].runs.mean(), 17);
  EXPECT_EQ(row.values[1].host, "n1");
  EXPECT_EQ(row.values[1].runs.mean(), 15);
  EXPECT_EQ(row.values[2].runs.max(), 3);
  EXPECT_TRUE(repeats.complete());
}

TEST(RepeatsTest, ATotalWithoutAHostIsNotAveragedIn) {
  Repeats repeats;
  repeats.Add(ReportOf(10, 1));
  repeats.Add(ReportOf(20, -1));

  const RepeatedRow& row = repeats.rows().at(0);
  EXPECT_EQ(row.values[0].runs.count(), 1);
  EXPECT_EQ(row.values[0].runs.mean(), 11);
  EXPECT_EQ(row.values[1].runs.count(), 2);
  EXPECT_EQ(row.values[2].runs.count(), 1);
  EXPECT_FALSE(repeats.complete());
  EXPECT_THAT(PrintRepeatsTable(repeats, {}), HasSubstr("n2: UNAVAILABLE: gone"));
}

TEST(RepeatsTest, JsonHasNoInfinity) {
  Repeats repeats;
  repeats.Add(ReportOf(10, 1));
  RepeatsOptions options;
  options.wanted_runs = 5;
  options.interrupted = true;

  const auto json = nlohmann::json::parse(PrintRepeatsJson(repeats, options));

  EXPECT_EQ(json.at("schema"), "pmu.repeat/1");
  EXPECT_EQ(json.at("complete"), false);
  const auto& total = json.at("events")[0].at("values")[0];
  EXPECT_EQ(total.at("mean"), 11);
  EXPECT_TRUE(total.at("confidence95").is_null());
  EXPECT_EQ(json.at("runs")[0].at("schema"), "pmu.run/1");
}

}  // namespace
}  // namespace pmu::client
