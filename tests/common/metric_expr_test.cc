#include "common/metric_expr.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MetricExpr Parsed(const std::string& text) {
  absl::StatusOr<MetricExpr> expr = MetricExpr::Parse(text);
  EXPECT_TRUE(expr.ok()) << expr.status();
  return *std::move(expr);
}

MetricValue Evaluate(const std::string& text, const std::map<std::string, double>& counts) {
  const MetricExpr expr = Parsed(text);
  return expr.Evaluate([&](size_t i) -> absl::optional<double> {
    const auto found = counts.find(expr.inputs()[i]);
    if (found == counts.end()) return absl::nullopt;
    return found->second;
  });
}

TEST(MetricExprTest, ReadsTheHead) {
  const MetricExpr expr = Parsed("effective-frequency [GHz] per cpu = 2 * \"perf-aperf\" / mperf");
  EXPECT_EQ(expr.name(), "effective-frequency");
  EXPECT_EQ(expr.unit(), "GHz");
  EXPECT_EQ(expr.scope(), MetricExpr::Scope::kPerCpu);
  EXPECT_EQ(expr.formula(), "2 * \"perf-aperf\" / mperf");
  EXPECT_THAT(expr.inputs(), ElementsAre("perf-aperf", "mperf"));
}

TEST(MetricExprTest, PrecedenceAndAssociativity) {
  EXPECT_EQ(Evaluate("m = 2 + 3 * 4", {}).number, 14);
  EXPECT_EQ(Evaluate("m = (2 + 3) * 4", {}).number, 20);
  EXPECT_EQ(Evaluate("m = 10 - 3 - 2", {}).number, 5);
  EXPECT_EQ(Evaluate("m = 100 / 5 / 2", {}).number, 10);
  EXPECT_EQ(Evaluate("m = -2 * -3", {}).number, 6);
  EXPECT_EQ(Evaluate("m = 1.5e3 + 1", {}).number, 1501);
  EXPECT_EQ(Evaluate("m = a-b", {{"a", 5}, {"b", 2}}).number, 3);
}

TEST(MetricExprTest, EventNamesInQuotes) {
  EXPECT_EQ(
      Evaluate("m = 'msr/aperf/' / \"cpu-cycles\"", {{"msr/aperf/", 6}, {"cpu-cycles", 3}}).number,
      2);
}

TEST(MetricExprTest, ConditionTakesOneBranchOnly) {
  const std::string smi =
      "smi-cycles [%] = 100 * (\"msr/aperf/\" - cycles) / \"msr/aperf/\" if \"msr/smi/\" > 0 else "
      "0";
  EXPECT_EQ(Evaluate(smi, {{"msr/smi/", 0}}).number, 0);
  EXPECT_EQ(Evaluate(smi, {{"msr/smi/", 2}, {"msr/aperf/", 200}, {"cycles", 150}}).number, 25);
  EXPECT_EQ(Evaluate("m = 1 if a < b else 2", {{"a", 1}, {"b", 2}}).number, 1);
}

TEST(MetricExprTest, MissingInputIsNoNumber) {
  const MetricValue value = Evaluate("ipc = instructions / cycles", {{"instructions", 5}});
  EXPECT_FALSE(value.number.has_value());
  EXPECT_EQ(value.reason, "not counted: cycles");
}

TEST(MetricExprTest, DivisionByZeroAndOverflowAreNoNumber) {
  EXPECT_EQ(Evaluate("m = a / b", {{"a", 0}, {"b", 0}}).reason, "division by zero");
  EXPECT_EQ(Evaluate("m = 1e308 * 1e308", {}).reason, "out of range");
}

struct BadCase {
  const char* text;
  const char* message;
};

class MetricExprErrorTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(MetricExprErrorTest, NamesTheMistakeAndItsPosition) {
  const absl::StatusOr<MetricExpr> expr = MetricExpr::Parse(GetParam().text);
  EXPECT_EQ(expr.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(expr.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MetricExprErrorTest,
    ::testing::Values(BadCase{"", "position 1: a name is missing"},
                      BadCase{"m", "position 2: '=' is missing"},
                      BadCase{"m =", "position 4: a number, an event or '(' is missing"},
                      BadCase{"m = 1 +", "position 8: a number"},
                      BadCase{"m = (1", "position 7: ')' is missing"},
                      BadCase{"m = a b", "position 7: an operator is missing"},
                      BadCase{"m = 'a", "closing quote is missing"},
                      BadCase{"m = ''", "an empty event name"}, BadCase{"m = 1x", "not a number"},
                      BadCase{"m = 1e999", "not a number"}, BadCase{"m [GHz = 1", "']' is missing"},
                      BadCase{"m per socket = 1", "'per' takes cpu or host"},
                      BadCase{"m = 1 if 2 else 3", "'<' or '>' is missing"},
                      BadCase{"m = 1 if 2 > 1", "'else' is missing"}));

TEST(MetricExprTest, DepthIsBounded) {
  for (const std::string& text :
       {absl::StrCat("m = ", std::string(1000, '('), "1", std::string(1000, ')')),
        absl::StrCat("m = ", std::string(1000, '-'), "1")}) {
    const absl::StatusOr<MetricExpr> expr = MetricExpr::Parse(text);
    EXPECT_THAT(std::string(expr.status().message()), HasSubstr("nested too deeply"));
  }
}

TEST(MetricExprTest, LengthIsBounded) {
  EXPECT_FALSE(MetricExpr::Parse(absl::StrCat("m = 1", std::string(kMaxMetricBytes, ' '))).ok());
}

}  // namespace
}  // namespace pmu
