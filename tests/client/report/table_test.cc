#include "client/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tests/client/report/golden.h"
#include "tests/client/report/report_builder.h"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Hosts(int count) {
  std::vector<std::string> hosts;
  for (int i = 1; i <= count; ++i) hosts.push_back(absl::StrFormat("node%03d", i));
  return hosts;
}

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(TableTest, OneHostHasNoTotals) {
  ReportBuilder builder({"n1"});
  builder.AddEvent("task-clock", {9'998'123'456}, "ns");
  builder.AddEvent("page-faults", {12'345});

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                  n1  rate/s
task-clock (ms)  9,998.12   2,000
page-faults        12,345   2,469

measured 5.000 s
clock error at most 0.060 ms
)"));
}

TEST(TableTest, TwoHostsAreColumnsInOneTableWhenItFits) {
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("task-clock", {9'998'123'456, 9'997'803'456}, "ns");
  builder.AddEvent("page-faults", {12'345, 0});

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                  n1        n2      total  rate/s      mean       min       max   stddev
task-clock (ms)  9,998.12  9,997.80  19,995.93   3,999  9,997.96  9,997.80  9,998.12     0.23
page-faults        12,345         0     12,345   2,469   6,172.5         0    12,345  8,729.2

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (n1)
)"));
}

TEST(TableTest, WideNumbersMoveRatesAndSpreadBelow) {
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("cycles", {12'345'678'901, 12'345'678'999});
  builder.AddEvent("energy", {7, 9}, "Joules", 0.001);

  EXPECT_EQ(PrintTable(builder.Build(), {80, false}), Golden(R"(
event                        n1              n2           total         rate/s
cycles           12,345,678,901  12,345,678,999  24,691,357,900  4,938,271,580
energy (Joules)        0.007000        0.009000        0.016000       0.003200

over hosts                 mean             min             max    stddev
cycles           12,345,678,950  12,345,678,901  12,345,678,999      69.3
energy (Joules)        0.008000        0.007000        0.009000  0.001414

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (n1)
)"));
}

TEST(TableTest, WhatIsMissingIsSaidInItsCellAndInTheTotal) {
  ReportBuilder builder({"n1", "n2", "n3"});
  builder.AddEvent("page-faults", {5, 6, 7}).cells[2].total =
      Missing(ReadingState::kNotCounted, "never scheduled on the hardware");
  Row& cycles = builder.AddEvent("cycles", {5, 6, 7});
  cycles.cells[0].total = Missing(ReadingState::kNotSupported, "no PMU in this virtual machine");
  cycles.cells[2].total = Missing(ReadingState::kNotSupported, "no PMU in this virtual machine");
  Row& lost = builder.AddEvent("instructions", {5, 6, 7});
  lost.cells[1].total.state = ReadingState::kCpuLost;
  lost.cells[2].total.expected = 2;
  builder.FailHost(1, absl::UnavailableError("n2: connection refused"));

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                    n1          n2             n3      total   hosts  rate/s
page-faults               5      failed    not counted [1]      5  1 of 3   1.000
cycles        not supported [2]  failed  not supported [2]      -  0 of 3       -
instructions              5      failed              7 [3]     12  2 of 3   2.400

over hosts    mean  min  max  stddev
page-faults      5    5    5       -
cycles           -    -    -       -
instructions     6    5    7     1.4

[1] page-faults on n3: not counted: never scheduled on the hardware
[2] cycles on n[1,3]: not supported: no PMU in this virtual machine
[3] instructions on n3: only 1 of 2 counters counted

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (n1)
2 of 3 hosts measured; failed:
  n2: UNAVAILABLE: connection refused
)"));
}

TEST(TableTest, ShareOfTimeIsShownWhenMultiplexed) {
  ReportBuilder builder({"n1"});
  builder.AddEvent("cycles", {1'000'000}).cells[0].total = Counted(2'000'000, 1, 0.5);
  builder.AddEvent("task-clock", {5'000'000}, "ns");

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                   n1   rate/s  counted
cycles           2,000,000  400,000    50.0%
task-clock (us)   5,000.00    1,000

measured 5.000 s
clock error at most 0.060 ms
)"));
}

TEST(TableTest, TimeStampCountersAreListedButNeverAdded) {
  ReportBuilder builder({"n1", "n2"});
  Row& row = builder.AddEvent("msr/tsc/", {0, 0});
  row.summable = false;
  for (HostCell& cell : row.cells) {
    cell.total = Missing(ReadingState::kCounted, "never added: see each CPU");
    SetCpus({12'000'000'000, 12'000'000'123}, &cell);
  }

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                 n1                  n2      total  rate/s
msr/tsc/               - [1]               - [1]      -       -
  cpu 0   12,000,000,000      12,000,000,000
  cpu 1   12,000,000,123      12,000,000,123

over hosts            mean             min             max  stddev
msr/tsc/    12,000,000,062  12,000,000,000  12,000,000,123    71.0

[1] msr/tsc/: not added: each counter stands for itself

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (n1)
)"));
}

TEST(TableTest, PerCpuLinesFollowTheirEvent) {
  ReportBuilder builder({"n1", "n2"});
  Row& row = builder.AddEvent("page-faults", {30, 12});
  SetCpus({10, 20}, &row.cells[0]);
  SetCpus({12}, &row.cells[1]);
  builder.AddEvent("context-switches", {4, 5});

  EXPECT_EQ(PrintTable(builder.Build(), {100, true}), Golden(R"(
event             n1  n2  total  rate/s  mean  min  max  stddev
page-faults       30  12     42   8.400    21   12   30    12.7
  cpu 0           10  12
  cpu 1           20
context-switches   4   5      9   1.800   4.5    4    5   0.707

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (n1)
)"));
}

TEST(TableTest, HybridRowsKeepTheirLabelsAndSimulatedOnesAreMarked) {
  ReportBuilder builder({"n1"});
  builder.AddEvent("cycles [cpu_core]", {600});
  builder.AddEvent("cycles [cpu_atom]", {400});
  Row& sum = builder.AddEvent("cycles (sum of 2 PMUs)", {1000});
  sum.is_sum = true;
  builder.AddEvent("CCI_400_r1/cycles/", {77}).simulated = true;

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
event                              n1  rate/s
cycles [cpu_core]                 600   120.0
cycles [cpu_atom]                 400   80.00
cycles (sum of 2 PMUs)          1,000   200.0
CCI_400_r1/cycles/ (simulated)     77   15.40

measured 5.000 s
clock error at most 0.060 ms
)"));
}

TEST(TableTest, InterruptedIsSaidWithTheTimeMeasured) {
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("page-faults", {1, 2});
  builder.result().interrupted = true;
  builder.result().hosts[0].measured_ns = 3'210'000'000;
  builder.result().hosts[1].measured_ns = 3'214'500'000;

  EXPECT_THAT(PrintTable(builder.Build(), {}),
              HasSubstr("\nmeasured 3.210 s to 3.215 s, then interrupted\n"));
}

TEST(TableTest, WarningsAreSaidOnceWithTheirHostsFolded) {
  ReportBuilder builder({"n1", "n2", "n3"});
  Row& row = builder.AddEvent("energy-pkg", {1, 2, 3});
  row.cells[0].warnings = {"counts system-wide"};
  row.cells[1].warnings = {"counts system-wide", "scale unusable"};

  EXPECT_THAT(PrintTable(builder.Build(), {}),
              HasSubstr("warning: energy-pkg on n[1-2]: counts system-wide\n"
                        "warning: energy-pkg on n2: scale unusable\n"));
}

TEST(TableTest, EightHostsThatDoNotFitAreListedInBlocks) {
  ReportBuilder builder(Hosts(8));
  builder.AddEvent("page-faults", {1, 2, 3, 4, 4, 4, 4, 4});
  builder.AddEvent("cycles", std::vector<uint64_t>(8, 12'345'678'901));
  builder.FailHost(2, absl::UnavailableError("node003: connection refused"));

  EXPECT_EQ(PrintTable(builder.Build(), {}), Golden(R"(
page-faults
  total      23   7 of 8 hosts   4.600/s
  per host   mean 3.3   min 1 (node001)   max 4 (node[004-008])   stddev 1.3 (38.2%)
  each       node001 1         node002 2         node003 failed    node[004-008] 4
cycles
  total      86,419,752,307   7 of 8 hosts   17,283,950,461/s
  per host   all equal: 12,345,678,901
  each       node[001-002,004-008] 12,345,678,901   node003 failed

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (node001)
7 of 8 hosts measured; failed:
  node003: UNAVAILABLE: connection refused
)"));
}

Report TwoHundredHosts() {
  std::vector<uint64_t> cycles;
  std::vector<uint64_t> faults;
  for (uint64_t i = 1; i <= 200; ++i) {
    cycles.push_back(12'345'678'901 + i * 1'000'000 + (i == 77 ? 4'000'000'000 : 0));
    faults.push_back(i % 7);
  }
  ReportBuilder builder(Hosts(200));
  builder.AddEvent("cycles", cycles);
  builder.AddEvent("alignment-faults", std::vector<uint64_t>(200, 0));
  Row& row = builder.AddEvent("page-faults", faults);
  for (size_t i = 20; i < 40; ++i) {
    row.cells[i].total = Missing(ReadingState::kNotSupported, "no such event");
  }
  builder.FailHost(2, absl::UnavailableError("node003: connection refused"));
  builder.FailHost(3, absl::UnavailableError("node004: connection refused"));
  builder.FailHost(9, absl::DeadlineExceededError("no answer within 5s"));
  return builder.Build();
}

TEST(TableTest, TwoHundredHostsAreASummaryWithOutliers) {
  const std::string table = PrintTable(TwoHundredHosts(), {});

  EXPECT_EQ(table, Golden(R"(
cycles
  total      2,456,181,743,497   197 of 200 hosts   491,236,348,699/s
  per host   mean 12,467,927,632   min 12,346,678,901 (node001)   max 16,422,678,901 (node077)
             stddev 288,897,083 (2.3%)
  outliers   node077 16,422,678,901 (+13.7 stddev)
alignment-faults
  total      0   197 of 200 hosts   0/s
  per host   all equal: 0
page-faults
  total      531   177 of 200 hosts   106.2/s
  per host   mean 3   min 0   max 6   stddev 2.0 (67.1%)
  outliers   none beyond 2 stddev
  no number  node[021-040] not supported [1]

[1] page-faults on node[021-040]: not supported: no such event

measured 5.000 s
start skew 0.041 ms (+- 0.060 ms), clock error at most 0.060 ms (node001)
197 of 200 hosts measured; failed:
  node[003-004]: UNAVAILABLE: connection refused
  node010: DEADLINE_EXCEEDED: no answer within 5s
)"));
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 40);
}

TEST(TableTest, TwoHundredDifferentFailuresStayFewLines) {
  ReportBuilder builder(Hosts(200));
  builder.AddEvent("cycles", std::vector<uint64_t>(200, 1));
  for (int i = 0; i < 199; ++i) {
    builder.FailHost(i, absl::InternalError(absl::StrFormat("reason %d", i)));
  }

  const std::string table = PrintTable(builder.Build(), {});

  EXPECT_THAT(table, HasSubstr("\n1 of 200 hosts measured; failed:\n"));
  EXPECT_THAT(table, HasSubstr("\n  and 189 more\n"));
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 30);
}

TEST(TableTest, LinesStayWithinTheWidth) {
  for (size_t width : {60, 80, 100, 132}) {
    EXPECT_LE(LongestLine(PrintTable(TwoHundredHosts(), {width, false})), width);
  }
}

TEST(TableTest, TextFromAgentsCannotControlTheTerminal) {
  ReportBuilder builder({"n1"});
  builder.AddEvent("x", {1}).cells[0].total =
      Missing(ReadingState::kNotSupported, "\033[2Jgone\nnew line \xc2\x9b");
  builder.FailHost(0, absl::InternalError("\033]0;title\a"));

  const std::string table = PrintTable(builder.Build(), {});

  EXPECT_THAT(table, Not(HasSubstr("\033")));
  EXPECT_THAT(table, Not(HasSubstr("\a")));
  EXPECT_THAT(table, Not(HasSubstr("\nnew line")));
}

TEST(TableTest, SumsBeyond64BitsAreExact) {
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("config", {uint64_t{1} << 63, uint64_t{1} << 63});

  EXPECT_THAT(PrintTable(builder.Build(), {}), HasSubstr("18,446,744,073,709,551,616"));
}

}  // namespace
}  // namespace pmu::client
