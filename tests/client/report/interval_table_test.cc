#include "client/report/interval_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/client/report/golden.h"
#include "tests/client/report/report_builder.h"

namespace pmu::client {
namespace {

constexpr int64_t kTenthNs = 100'000'000;

Interval Number(uint64_t number) {
  Interval interval;
  interval.number = number;
  interval.begin_ns = static_cast<int64_t>(number - 1) * kTenthNs;
  interval.end_ns = static_cast<int64_t>(number) * kTenthNs;
  return interval;
}

TEST(IntervalTableTest, TitlesComeOnceAndTheTimeWithTheFirstRowOfEach) {
  IntervalTable table({"n1"}, 80, false);
  ReportBuilder builder({"n1"});
  builder.AddEvent("task-clock", {200'004'321}, "ns");
  builder.AddEvent("page-faults", {12'345});

  EXPECT_EQ("\n" + table.Lines(Number(1), builder.Build()), Golden(R"(

        time  event                            n1
     0.100 s  task-clock (ms)              200.00
              page-faults                  12,345
)"));
  EXPECT_EQ("\n" + table.Lines(Number(2), builder.Build()), Golden(R"(

     0.200 s  task-clock (ms)              200.00
              page-faults                  12,345
)"));
}

TEST(IntervalTableTest, LongLabelsAndMarksMoveAllColumnsAlike) {
  IntervalTable table({"n1", "n2"}, 100, false);
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("cci400/source=3,event=si_rrq_hs_any/", {1, 2}).simulated = true;
  builder.AddEvent("cs", {3, 4});
  Interval late = Number(2);
  late.late = true;

  const std::string text =
      table.Lines(Number(1), builder.Build()) + table.Lines(late, builder.Build());

  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 5u) << text;
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << text;
  EXPECT_NE(lines[3].find("(simulated) late"), std::string::npos) << text;
}

TEST(IntervalTableTest, HostsThatDoNotFitAreSummedUp) {
  std::vector<std::string> hosts;
  std::vector<uint64_t> counts;
  for (uint64_t i = 1; i <= 20; ++i) {
    hosts.push_back(absl::StrCat("n", i));
    counts.push_back(i);
  }
  IntervalTable table(hosts, 100, false);
  ReportBuilder builder(hosts);
  builder.AddEvent("cs", counts);

  const std::string text = table.Lines(Number(1), builder.Build());

  EXPECT_NE(text.find("1 (n1)"), std::string::npos) << text;
  EXPECT_NE(text.find("20 (n20)"), std::string::npos) << text;
  EXPECT_NE(text.find("210"), std::string::npos) << text;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << text;
}

TEST(IntervalTableTest, WhatIsNeverAddedHasALineForEachCpu) {
  IntervalTable table({"n1", "n2"}, 100, false);
  ReportBuilder builder({"n1", "n2"});
  Row& row = builder.AddEvent("msr/tsc/", {0, 0});
  row.summable = false;
  for (HostCell& cell : row.cells) cell.total = Missing(ReadingState::kCounted, "");
  SetCpus({11, 12}, &row.cells[0]);
  SetCpus({21}, &row.cells[1]);
  row.total = Missing(ReadingState::kCounted, "");

  EXPECT_EQ("\n" + table.Lines(Number(1), builder.Build()), Golden(R"(

        time  event                     n1             n2          total
     0.100 s  msr/tsc/
                cpu 0                   11             21
                cpu 1                   12
)"));
}

TEST(IntervalTableTest, CpusOfEveryRowWhenAskedFor) {
  IntervalTable table({"n1"}, 100, true);
  ReportBuilder builder({"n1"});
  SetCpus({1, 2}, &builder.AddEvent("cs", {3}).cells[0]);

  EXPECT_EQ("\n" + table.Lines(Number(1), builder.Build()), Golden(R"(

        time  event               n1
     0.100 s  cs                   3
                cpu 0              1
                cpu 1              2
)"));
}

TEST(IntervalTableTest, AHostWithoutASampleIsADashNotANumber) {
  IntervalTable table({"n1", "n2"}, 100, false);
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("cs", {3, 4});
  builder.FailHost(1, absl::UnavailableError("no sample of this interval"));

  const std::string text = table.Lines(Number(1), builder.Build());

  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  const std::vector<std::string> cells = absl::StrSplit(lines[1], ' ', absl::SkipEmpty());
  EXPECT_EQ(cells, (std::vector<std::string>{"0.100", "s", "cs", "3", "-", "3"})) << text;
}

}  // namespace
}  // namespace pmu::client
