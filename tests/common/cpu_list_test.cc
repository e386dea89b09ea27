#include "common/cpu_list.h"

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/text.h"
#include "gtest/gtest.h"
#include "tests/common/case_table.h"

namespace pmu {
namespace {

// The wanted column: "0 1 2 4..23 (23 cpus, ...)", or "24 cpus, ids up to 27".
void ExpectCpus(const std::string& wanted, const CpuList& cpus) {
  if (absl::StrContains(wanted, " cpus, ids up to ")) {
    EXPECT_EQ(absl::StrCat(cpus.size(), " cpus, ids up to ", cpus.back()), wanted);
    return;
  }
  const std::string numbers = wanted.substr(0, wanted.find(" ("));
  CpuList expected;
  for (const absl::string_view token : absl::StrSplit(numbers, ' ')) {
    const std::vector<std::string> ends = absl::StrSplit(token, "..");
    for (uint64_t cpu = *ParseDigits(ends.front()); cpu <= *ParseDigits(ends.back()); ++cpu) {
      expected.push_back(static_cast<int>(cpu));
    }
  }
  EXPECT_EQ(cpus, expected);
}

TEST(CpuListTest, ParsesEveryCase) {
  int errors = 0;
  for (const auto& row : ReadCaseTable("cpulists.tsv", 3)) {
    SCOPED_TRACE(row[0]);

    const absl::StatusOr<CpuList> cpus = ParseCpuList(row[0]);

    if (row[1] == "ERROR") {
      EXPECT_EQ(cpus.status().code(), absl::StatusCode::kInvalidArgument);
      ++errors;
    } else {
      ASSERT_TRUE(cpus.ok()) << cpus.status();
      ExpectCpus(row[1], *cpus);
    }
  }
  EXPECT_EQ(errors, 3);
}

TEST(CpuListTest, IgnoresWhiteSpace) {
  EXPECT_EQ(*ParseCpuList(" 0-1, 3\n"), (CpuList{0, 1, 3}));
  EXPECT_EQ(*ParseCpuList(""), CpuList());
  EXPECT_EQ(*ParseCpuList("\n"), CpuList());
}

TEST(CpuListTest, ErrorsNameTokenAndPosition) {
  EXPECT_EQ(ParseCpuList("0-3,x").status().message(),
            "CPU list, position 5: \"x\" is no CPU number and no range such as 0-3");
  EXPECT_EQ(ParseCpuList("0, 11-8").status().message(),
            "CPU list, position 4: \"11-8\" runs backwards");
  EXPECT_EQ(ParseCpuList("0,,1").status().message(),
            "CPU list, position 3: \"\" is no CPU number; remove the comma");
}

TEST(CpuListTest, RefusesWhatIsNoNumber) {
  for (const char* text : {"+1", "1 2", "0x3", "1-2-3", "--1", "0-31:2/4", "all", ",", "1,",
                           "99999999999999999999", "0-18446744073709551616"}) {
    EXPECT_EQ(ParseCpuList(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(CpuListTest, RefusesNumbersAboveTheLimit) {
  EXPECT_EQ(ParseCpuList("65535")->back(), 65535);
  EXPECT_EQ(ParseCpuList("65536").status().message(),
            "CPU list, position 1: \"65536\" is above the largest CPU number, 65535");
}

TEST(CpuListTest, ManyOverlappingRangesCostNoMoreThanOne) {
  std::string text = "0-65535";
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&text, ",0-65535");

  const absl::StatusOr<CpuList> cpus = ParseCpuList(text);

  ASSERT_TRUE(cpus.ok());
  EXPECT_EQ(cpus->size(), 65536u);
  EXPECT_LE(cpus->capacity(), 131072u);
}

TEST(CpuListTest, FormatsTheShortestText) {
  EXPECT_EQ(FormatCpuList({}), "");
  EXPECT_EQ(FormatCpuList({7}), "7");
  EXPECT_EQ(FormatCpuList({0, 1, 2, 5}), "0-2,5");
  EXPECT_EQ(FormatCpuList({0, 18}), "0,18");
  EXPECT_EQ(FormatCpuList({0, 1, 3, 4, 5}), "0-1,3-5");
}

TEST(CpuListTest, ParsingUndoesFormatting) {
  std::minstd_rand random(20);
  for (int round = 0; round < 200; ++round) {
    CpuList cpus;
    for (int cpu = 0; cpu < 300; ++cpu) {
      if (random() % 3 != 0) cpus.push_back(cpu);
    }
    EXPECT_EQ(*ParseCpuList(FormatCpuList(cpus)), cpus);
  }
}

TEST(CpuListTest, IntersectsAndSubtracts) {
  const CpuList online = {0, 1, 2, 5};
  const CpuList mask = {1, 5, 9};

  EXPECT_EQ(IntersectCpuLists(online, mask), (CpuList{1, 5}));
  EXPECT_EQ(SubtractCpuLists(online, mask), (CpuList{0, 2}));
  EXPECT_EQ(SubtractCpuLists(mask, online), (CpuList{9}));
  EXPECT_EQ(IntersectCpuLists(online, {}), CpuList());
}

}  // namespace
}  // namespace pmu
