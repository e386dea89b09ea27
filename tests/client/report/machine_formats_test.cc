// What JSON and CSV promise together: exact numbers, no NaN, the same bytes in
// every locale, readable by others' parsers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/aggregate.h"
#include "client/report/csv.h"
#include "client/report/json.h"
#include "client/report/table.h"
#include "tests/client/report/python.h"
#include "tests/client/report/report_builder.h"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Prints "ok", or fails on anything that RFC 8259 does not know.
constexpr char kStrictJson[] = R"(
import json, sys
def refuse(constant):
    raise ValueError("not JSON: " + constant)
def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key is there twice"
    return dict(pairs)
json.loads(sys.stdin.buffer.read().decode("utf-8"), parse_constant=refuse,
           object_pairs_hook=unique)
print("ok", end="")
)";

// Prints how many columns the lines have, each number once.
constexpr char kCsvColumns[] = R"(
import csv, io, sys
text = sys.stdin.buffer.read().decode("utf-8")
rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
print(sorted({len(row) for row in rows}), end="")
)";

// Everything that can go wrong in one report.
Report DifficultReport() {
  ReportBuilder builder({"n1", "n2", "a\"b,c"});
  builder.AddEvent("cpu/event=0x3c,umask=1/", {1, 2, 3}, "a\"b,c", 0.1).cells[0].warnings = {
      "two\nlines, \"quoted\""};
  Row& bad = builder.AddEvent("cycles", {1, 2, 3});
  bad.cells[0].total = Missing(ReadingState::kNotCounted, "never scheduled");
  bad.cells[1].total = Missing(ReadingState::kNotSupported, "no such event, \"sorry\"");
  Row& nan = builder.AddEvent("odd", {1, 2, 3});
  nan.cells[0].total.value = std::numeric_limits<double>::quiet_NaN();
  nan.cells[1].total.rate_per_s = std::numeric_limits<double>::infinity();
  Row& tsc = builder.AddEvent("msr/tsc/", {1, 2, 3});
  tsc.summable = false;
  for (HostCell& cell : tsc.cells) {
    cell.total = Missing(ReadingState::kCounted, "never added");
    SetCpus({5, 6}, &cell);
  }
  builder.AddEvent("multiplexed", {1, 2, 3}).cells[0].total.running_share = 0.25;
  builder.FailHost(2, absl::UnavailableError("not UTF-8: \xff\xfe"));
  return builder.Build();
}

TEST(JsonTest, TwoStrictParsersAcceptTheWorst) {
  const std::string json = PrintJson(DifficultReport(), {{{"key", "\x80 text"}}});

  EXPECT_TRUE(nlohmann::json::accept(json));
  EXPECT_EQ(RunPython(kStrictJson, json), "ok");
}

TEST(JsonTest, NoNumberIsNullWithStateAndReason) {
  const auto json = nlohmann::json::parse(PrintJson(DifficultReport(), {}));

  const auto& cycles = json["events"][1]["hosts"];
  EXPECT_EQ(cycles[0]["state"], "not_counted");
  EXPECT_TRUE(cycles[0]["count"].is_null());
  EXPECT_TRUE(cycles[0]["value"].is_null());
  EXPECT_EQ(cycles[1]["state"], "not_supported");
  EXPECT_EQ(cycles[1]["reason"], "no such event, \"sorry\"");
  EXPECT_EQ(cycles[2]["state"], "host_failed");
  EXPECT_THAT(cycles[2]["reason"].get<std::string>(), HasSubstr("UNAVAILABLE: not UTF-8"));
  const auto& nan = json["events"][2]["hosts"];
  EXPECT_TRUE(nan[0]["value"].is_null());
  EXPECT_TRUE(nan[1]["rate_per_s"].is_null());
  EXPECT_EQ(json["events"][3]["total"]["state"], "not_added");
}

TEST(JsonTest, NamesSchemaAndTotals) {
  ReportBuilder builder({"n1", "n2"});
  builder.AddEvent("page-faults", {40, 2});

  const auto json = nlohmann::json::parse(PrintJson(builder.Build(), {{{"run", "7"}}}));

  EXPECT_EQ(json["schema"], "pmu.run/1");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["labels"]["run"], "7");
  EXPECT_EQ(json["timing"]["started"], "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(json["timing"]["start_skew_ns"], "41000");
  EXPECT_EQ(json["events"][0]["total"]["count"], "42");
  EXPECT_EQ(json["events"][0]["total"]["value"], 42.0);
  EXPECT_EQ(json["events"][0]["total"]["contributing_hosts"], 2);
  EXPECT_EQ(json["events"][0]["spread"]["mean"], 21.0);
  EXPECT_EQ(json["hosts"][1]["clock"]["error_ns"], "60000");
}

std::string MachineFormats(const Report& report) {
  return PrintJson(report, {}) + PrintCsv(report, {',', true});
}

TEST(MachineFormatsTest, NeverHoldNanOrInfinity) {
  const std::string text = MachineFormats(DifficultReport());

  EXPECT_THAT(text, Not(HasSubstr("NaN")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, Not(HasSubstr("Inf")));
}

// One host with one counter per CPU, as agents send them.
MeasurementResult OneCounter(uint64_t raw_count, uint64_t enabled_ns, uint64_t running_ns) {
  CounterReading reading;
  reading.cpu = 0;
  reading.reading = {raw_count, enabled_ns, running_ns,
                     running_ns == 0 ? ReadingState::kNotCounted : ReadingState::kCounted};
  EventResult event;
  event.event.set_text("e");
  event.event.set_supported(true);
  event.event.set_scale(1);
  event.event.mutable_encoding()->set_config(raw_count);
  event.readings = {reading};
  HostResult host;
  host.host = "n1";
  host.measured_ns = 1'000'000'000;
  host.events = {event};
  MeasurementResult result;
  result.requested_events = {"e"};
  result.hosts = {host};
  return result;
}

TEST(MachineFormatsTest, KeepEveryDigitOfTheTable) {
  std::ifstream table("tests/cases/tables/numbers.tsv");
  ASSERT_TRUE(table) << "numbers.tsv is missing";
  int checked = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string digits = line.substr(0, line.find('\t'));
    uint64_t count = 0;
    ASSERT_TRUE(absl::SimpleAtoi(digits, &count)) << digits;
    const Report report = Aggregate(OneCounter(count, 1000, 1000));

    const auto json = nlohmann::json::parse(PrintJson(report, {}));
    EXPECT_EQ(json["events"][0]["total"]["count"], digits);
    EXPECT_EQ(json["hosts"][0]["counters"][0]["encoding"]["config"], digits);
    EXPECT_EQ(json["hosts"][0]["counters"][0]["readings"][0]["raw_count"], digits);
    EXPECT_THAT(PrintCsv(report, {}), HasSubstr(absl::StrCat(",counted,", digits, ",")));
    ++checked;
  }
  EXPECT_GE(checked, 3);
}

TEST(MachineFormatsTest, KeepSumsBeyond64Bits) {
  MeasurementResult result = OneCounter(uint64_t{1} << 63, 1000, 1000);
  result.hosts.push_back(result.hosts[0]);
  result.hosts[1].host = "n2";
  const Report report = Aggregate(std::move(result));

  EXPECT_EQ(nlohmann::json::parse(PrintJson(report, {}))["events"][0]["total"]["count"],
            "18446744073709551616");
  EXPECT_THAT(PrintCsv(report, {}), HasSubstr(",counted,18446744073709551616,"));
}

TEST(MachineFormatsTest, RunningTimeZeroIsNotCountedInEveryFormat) {
  const Report report = Aggregate(OneCounter(123456, 1'000'000, 0));

  const auto json = nlohmann::json::parse(PrintJson(report, {}));
  EXPECT_EQ(json["events"][0]["hosts"][0]["state"], "not_counted");
  EXPECT_TRUE(json["events"][0]["total"]["value"].is_null());
  EXPECT_THAT(PrintCsv(report, {}), HasSubstr("host,e,e,,n1,,,not_counted,,,"));
  EXPECT_THAT(PrintTable(report, {}), HasSubstr("not counted"));
  EXPECT_THAT(PrintTable(report, {}), Not(HasSubstr("123,456")));
}

TEST(CsvTest, ColumnsAreConstantForTheWorst) {
  for (const char separator : {',', ';', '\t'}) {
    const std::string csv = PrintCsv(DifficultReport(), {separator, true});
    std::string script = kCsvColumns;
    if (separator != ',') {
      const std::string option =
          separator == ';' ? "delimiter=';', strict" : "delimiter='\\t', strict";
      script.replace(script.find("strict"), 6, option);
    }
    EXPECT_EQ(RunPython(script, csv), "[21]") << csv;
  }
}

TEST(CsvTest, NamesSurviveAReader) {
  const std::string names = RunPython(R"(
import csv, io, sys
rows = list(csv.DictReader(io.StringIO(sys.stdin.read(), newline="")))
first = rows[0]
print(first["event"], first["unit"], [row["host"] for row in rows][2], sep="|", end="")
)",
                                      PrintCsv(DifficultReport(), {}));

  EXPECT_EQ(names, "cpu/event=0x3c,umask=1/|a\"b,c|a\"b,c");
}

TEST(CsvTest, HasRowsForHostsCpusTotalsAndSpread) {
  ReportBuilder builder({"n1", "n2"});
  SetCpus({10, 20}, &builder.AddEvent("page-faults", {30, 12}).cells[0]);

  EXPECT_EQ(
      PrintCsv(builder.Build(), {',', true}),
      "row,event,label,pmu,host,cpu,tid,state,count,value,unit,rate_per_s,running_share,raw_count,"
      "enabled_ns,running_ns,measured_ns,contributing,expected,reason,simulated\n"
      "host,page-faults,page-faults,,n1,,,counted,30,30,,6,1,,,,5000000000,1,1,,no\n"
      "cpu,page-faults,page-faults,,n1,0,,counted,10,10,,2,1,10,5000000000,5000000000,5000000000,"
      "1,1,,no\n"
      "cpu,page-faults,page-faults,,n1,1,,counted,20,20,,4,1,20,5000000000,5000000000,5000000000,"
      "1,1,,no\n"
      "host,page-faults,page-faults,,n2,,,counted,12,12,,2.4,1,,,,5000000000,1,1,,no\n"
      "total,page-faults,page-faults,,,,,counted,42,42,,8.4,1,,,,,2,2,,no\n"
      "mean,page-faults,page-faults,,,,,counted,,21,,,,,,,,2,,,no\n"
      "min,page-faults,page-faults,,,,,counted,,12,,,,,,,,2,,,no\n"
      "max,page-faults,page-faults,,,,,counted,,30,,,,,,,,2,,,no\n"
      "stddev,page-faults,page-faults,,,,,counted,,12.727922061357855,,,,,,,,2,,,no\n");
}

TEST(CsvTest, SeparatorsThatOccurInNumbersAreRefused) {
  char separator = 0;
  EXPECT_TRUE(ParseCsvSeparator("tab", &separator).ok());
  EXPECT_EQ(separator, '\t');
  EXPECT_TRUE(ParseCsvSeparator(";", &separator).ok());
  EXPECT_EQ(separator, ';');
  for (const char* text : {"", "ab", ".", "-", "5", "e", "\"", "\n"}) {
    EXPECT_EQ(ParseCsvSeparator(text, &separator).code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

// German punctuation for iostreams and, where it can be made, for C.
class GermanLocale {
 public:
  GermanLocale() : before_(std::locale::global(std::locale(std::locale(), new Punctuation))) {
    const std::string folder = testing::TempDir();
    const std::string command =
        absl::StrCat("localedef -f UTF-8 -i de_DE '", folder, "/de_DE.UTF-8' >/dev/null 2>&1");
    if (system(command.c_str()) != 0) return;  // NOLINT: the command is ours
    setenv("LOCPATH", folder.c_str(), 1);
    in_c_ = setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  }
  ~GermanLocale() {
    std::locale::global(before_);
    setlocale(LC_ALL, "C");
  }
  bool in_c() const { return in_c_; }

 private:
  struct Punctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
  bool in_c_ = false;
};

TEST(LocaleTest, AllFormatsHaveTheSameBytes) {
  const Report report = DifficultReport();
  const std::string expected = MachineFormats(report) + PrintTable(report, {});

  const GermanLocale german;
  if (german.in_c()) {
    char text[16];
    snprintf(text, sizeof(text), "%.1f", 1.5);
    ASSERT_STREQ(text, "1,5") << "the locale is not in force";
  }

  EXPECT_EQ(MachineFormats(report) + PrintTable(report, {}), expected);
}

}  // namespace
}  // namespace pmu::client
