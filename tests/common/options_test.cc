#include "common/options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace pmu {
namespace {

using Words = std::vector<std::string>;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    table_.AddString('H', "hosts", "LIST", "agents to measure, as a list or @FILE", &hosts_);
    table_.AddStrings('e', "event", "EVENTS", "events to count; may be repeated", &events_);
    table_.AddFlag('j', "json", "print JSON", &json_);
    table_.AddFlag('a', "", "all CPUs", &all_);
    table_.AddInt(0, "repeat", "N", "how often", 1, 1000, &repeat_);
    table_.AddInt('\0', "report-width", "N", "columns", 20, 500, &width_);
    table_.AddDuration('I', "interval", "TIME", "time between samples", &interval_);
  }

  std::string Error(const Words& args) {
    return std::string(table_.Parse(args).status().message());
  }

  std::string hosts_ = "localhost";
  Words events_;
  bool json_ = false;
  bool all_ = false;
  int64_t repeat_ = 1;
  int64_t width_ = 80;
  absl::Duration interval_ = absl::Seconds(1);
  OptionTable table_;
};

TEST_F(OptionsTest, NothingGivenKeepsDefaults) {
  const auto operands = table_.Parse({});

  ASSERT_TRUE(operands.ok());
  EXPECT_TRUE(operands->empty());
  EXPECT_EQ(hosts_, "localhost");
  EXPECT_EQ(repeat_, 1);
  EXPECT_EQ(interval_, absl::Seconds(1));
}

TEST_F(OptionsTest, AllWaysToWriteAnOption) {
  const auto operands = table_.Parse({"-H", "a", "-ecycles", "--event=r1a8", "--event", "{a,b}",
                                      "-ja", "--repe=7", "-I", "500ms", "x"});

  ASSERT_TRUE(operands.ok()) << operands.status();
  EXPECT_EQ(*operands, Words({"x"}));
  EXPECT_EQ(hosts_, "a");
  EXPECT_EQ(events_, Words({"cycles", "r1a8", "{a,b}"}));
  EXPECT_TRUE(json_);
  EXPECT_TRUE(all_);
  EXPECT_EQ(repeat_, 7);
  EXPECT_EQ(interval_, absl::Milliseconds(500));
}

TEST_F(OptionsTest, OptionsOfAWrappedCommandAreNotTaken) {
  const auto operands = table_.Parse({"-j", "ls", "-a", "--hosts=x", "--", "-j"});

  ASSERT_TRUE(operands.ok());
  EXPECT_EQ(*operands, Words({"ls", "-a", "--hosts=x", "--", "-j"}));
  EXPECT_FALSE(all_);
  EXPECT_EQ(hosts_, "localhost");
}

TEST_F(OptionsTest, DoubleDashEndsOptionsAndIsDropped) {
  const auto operands = table_.Parse({"-j", "--", "-a", "--"});

  ASSERT_TRUE(operands.ok());
  EXPECT_EQ(*operands, Words({"-a", "--"}));
  EXPECT_TRUE(json_);
}

TEST_F(OptionsTest, SecondParseStartsAfresh) {
  ASSERT_FALSE(table_.Parse({"-jax"}).ok());

  const auto operands = table_.Parse({"-H", "b"});

  ASSERT_TRUE(operands.ok());
  EXPECT_TRUE(operands->empty());
  EXPECT_EQ(hosts_, "b");
}

TEST_F(OptionsTest, UnknownOptions) {
  EXPECT_EQ(Error({"-x"}), "unknown option \"-x\"; see --help");
  EXPECT_EQ(Error({"-jx"}), "unknown option \"-x\" in \"-jx\"; see --help");
  EXPECT_EQ(Error({"--nope"}), "unknown option \"--nope\"; see --help");
  EXPECT_EQ(Error({"--nope=3"}), "unknown option \"--nope\"; see --help");
  EXPECT_EQ(Error({"-:"}), "unknown option \"-:\"; see --help");
  EXPECT_EQ(table_.Parse({"-x"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(OptionsTest, AmbiguousPrefix) {
  EXPECT_EQ(Error({"--rep=1"}), "option \"--rep\" is ambiguous: --repeat or --report-width");
}

TEST_F(OptionsTest, MissingAndSuperfluousValues) {
  EXPECT_EQ(Error({"-H"}), "option --hosts needs a value: LIST");
  EXPECT_EQ(Error({"-j", "--hosts"}), "option --hosts needs a value: LIST");
  EXPECT_EQ(Error({"--json=yes"}), "option --json takes no value; \"--json=yes\" has one");
}

TEST_F(OptionsTest, IntegersOutOfRange) {
  const std::string error = "option --repeat takes a whole number from 1 to 1000, not ";
  EXPECT_EQ(Error({"--repeat=0"}), error + "\"0\"");
  EXPECT_EQ(Error({"--repeat=1001"}), error + "\"1001\"");
  EXPECT_EQ(Error({"--repeat=1.5"}), error + "\"1.5\"");
  EXPECT_EQ(Error({"--repeat=99999999999999999999"}), error + "\"99999999999999999999\"");
  EXPECT_EQ(Error({"--repeat="}), error + "\"\"");
  EXPECT_EQ(repeat_, 1);
}

TEST_F(OptionsTest, DurationsNeedAUnit) {
  const std::string error =
      "option --interval takes a duration above zero with its unit, such as 500ms, 5s or 1m30s, "
      "not ";
  for (const std::string text : {"5", "0", "0s", "-1s", "inf", "1 s", "", "x"}) {
    EXPECT_EQ(Error({"-I", text}), absl::StrCat(error, "\"", text, "\""));
  }
  ASSERT_TRUE(table_.Parse({"--interval=1m30s"}).ok());
  EXPECT_EQ(interval_, absl::Seconds(90));
}

TEST_F(OptionsTest, HelpIsAlignedAndFitsEightyColumns) {
  bool flag = false;
  table_.AddFlag('v', "a-name-so-long-that-it-takes-a-line", "below its name", &flag);
  table_.AddFlag('w', "wrapped",
                 "a long help text that does not fit on a line of eighty columns and goes on below "
                 "itself",
                 &flag);

  EXPECT_EQ(table_.Help(),
            "  -H, --hosts=LIST      agents to measure, as a list or @FILE\n"
            "  -e, --event=EVENTS    events to count; may be repeated\n"
            "  -j, --json            print JSON\n"
            "  -a                    all CPUs\n"
            "      --repeat=N        how often\n"
            "      --report-width=N  columns\n"
            "  -I, --interval=TIME   time between samples\n"
            "  -v, --a-name-so-long-that-it-takes-a-line\n"
            "                        below its name\n"
            "  -w, --wrapped         a long help text that does not fit on a line of eighty\n"
            "                        columns and goes on below itself\n");
  for (const absl::string_view line : absl::StrSplit(table_.Help(), '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
}  // namespace pmu
