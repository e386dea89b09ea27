#include "client/report/metric_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "client/report/csv.h"
#include "client/report/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;

MetricRow RowOf(const std::string& name, const std::vector<MetricValue>& hosts) {
  MetricRow row;
  row.name = name;
  for (const MetricValue& host : hosts) {
    row.cells.push_back({host, {}});
    if (!host.number.has_value()) continue;
    row.spread.Add(*host.number);
    ++row.contributing_hosts;
  }
  return row;
}

Report ReportOf(int hosts) {
  Report report;
  for (int i = 0; i < hosts; ++i) {
    HostResult host;
    host.host = "n" + std::to_string(i);
    report.result.hosts.push_back(host);
  }
  return report;
}

TEST(MetricTableTest, HostsAreColumnsAndWhatIsMissingHasItsReason) {
  Report report = ReportOf(2);
  report.metrics = {RowOf("ipc", {{1.5, ""}, {absl::nullopt, "not counted: cycles"}})};
  EXPECT_EQ(MetricTable(report, {}),
            "metric     n0  n1      mean    min    max\n"
            "ipc     1.500  - [1]  1.500  1.500  1.500\n"
            "\n"
            "[1] ipc on n1: not counted: cycles\n");
}

TEST(MetricTableTest, AHostsNumberOfAMetricOfCpusIsTheirMean) {
  EXPECT_EQ(HostNumber({{}, {{0, {1.0, ""}}, {1, {2.0, ""}}, {2, {absl::nullopt, "idle"}}}}), 1.5);
  EXPECT_EQ(HostNumber({{}, {{0, {absl::nullopt, "idle"}}}}), absl::nullopt);
  EXPECT_EQ(HostNumber({{3.0, ""}, {}}), 3.0);
}

TEST(MetricTableTest, AlertsAreMarkedAndExplained) {
  Report report = ReportOf(1);
  report.metrics = {RowOf("smi-cycles", {{12.34, ""}})};
  report.metrics[0].unit = "%";
  report.metrics[0].decimals = 1;
  report.metrics[0].alert_above = 10;
  const std::string text = MetricTable(report, {});
  EXPECT_THAT(text, HasSubstr("12.3 !"));
  EXPECT_THAT(text, HasSubstr("! marks values above 10 %"));
}

TEST(MetricTableTest, ManyHostsAreSummedUpAndTheEndsNamed) {
  Report report = ReportOf(200);
  std::vector<MetricValue> hosts(200, MetricValue{2.0, ""});
  hosts[7].number = 1.0;
  hosts[9].number = 3.0;
  report.metrics = {RowOf("ipc", hosts)};
  const std::string text = MetricTable(report, {});
  EXPECT_THAT(text, HasSubstr("200 of 200"));
  EXPECT_THAT(text, HasSubstr("n7"));
  EXPECT_THAT(text, HasSubstr("n9"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(MetricTableTest, MachineFormatsHaveTheNumberOrTheReason) {
  Report report = ReportOf(2);
  report.metrics = {RowOf("ipc", {{1.5, ""}, {absl::nullopt, "division by zero"}})};
  const auto json = nlohmann::json::parse(PrintJson(report, {}));
  const nlohmann::json& hosts = json.at("metrics").at(0).at("hosts");
  EXPECT_EQ(hosts.at(0).at("value"), 1.5);
  EXPECT_TRUE(hosts.at(1).at("value").is_null());
  EXPECT_EQ(hosts.at(1).at("reason"), "division by zero");
  EXPECT_THAT(PrintCsv(report, {}), HasSubstr("metric,ipc,ipc,,n0,,,counted,,1.5,"));
}

TEST(MetricTableTest, WhatRestsOnSimulatedHardwareIsMarkedInEveryFormat) {
  Report report = ReportOf(1);
  report.metrics = {RowOf("smi-cycles", {{1.5, ""}}), RowOf("ipc", {{1.0, ""}})};
  report.metrics[0].unit = "%";
  report.metrics[0].simulated = true;

  EXPECT_THAT(MetricTable(report, {}), HasSubstr("smi-cycles (%) (simulated)"));
  const auto json = nlohmann::json::parse(PrintJson(report, {}));
  EXPECT_EQ(json.at("metrics").at(0).at("simulated"), true);
  EXPECT_EQ(json.at("metrics").at(1).at("simulated"), false);
  EXPECT_THAT(PrintCsv(report, {}), HasSubstr(",yes\n"));
}

}  // namespace
}  // namespace pmu::client
