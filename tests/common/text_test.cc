#include "common/text.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace pmu {
namespace {

TEST(TextTest, ParseDigitsTakesDigitsOnly) {
  EXPECT_EQ(ParseDigits("0"), absl::optional<uint64_t>(0));
  EXPECT_EQ(ParseDigits("007"), absl::optional<uint64_t>(7));
  EXPECT_EQ(ParseDigits("18446744073709551615"), absl::optional<uint64_t>(UINT64_MAX));
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "18446744073709551616",
                           "99999999999999999999999999"}) {
    EXPECT_EQ(ParseDigits(text), absl::nullopt) << text;
  }
}

TEST(TextTest, QuoteKeepsOneCleanLine) {
  EXPECT_EQ(Quote("cycles"), "\"cycles\"");
  EXPECT_EQ(Quote("a\nb\x1b[31m\xff"), "\"a\\nb\\x1b[31m\\xff\"");
  EXPECT_EQ(Quote("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(Quote("abc", 3), "\"abc\"");
}

TEST(TextTest, FormatCountGroupsThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(FormatCount(absl::Uint128Max()), "340,282,366,920,938,463,463,374,607,431,768,211,455");
}

TEST(TextTest, FormatShortKeepsThreeDigits) {
  EXPECT_EQ(FormatShort(0), "0");
  EXPECT_EQ(FormatShort(0.25), "0.250");
  EXPECT_EQ(FormatShort(1.5), "1.50");
  EXPECT_EQ(FormatShort(999), "999");
  EXPECT_EQ(FormatShort(999.9), "1.00k");
  EXPECT_EQ(FormatShort(1234567), "1.23M");
  EXPECT_EQ(FormatShort(9.996e6), "10.0M");
  EXPECT_EQ(FormatShort(99.96e6), "100M");
  EXPECT_EQ(FormatShort(-2.5e9), "-2.50G");
  EXPECT_EQ(FormatShort(1e21), "1000E");
  EXPECT_EQ(FormatShort(std::numeric_limits<double>::infinity()), "inf");
}

TEST(TextTest, FormatDurationPicksTheUnit) {
  EXPECT_EQ(FormatDuration(0), "0ns");
  EXPECT_EQ(FormatDuration(999), "999ns");
  EXPECT_EQ(FormatDuration(1'234), "1.234us");
  EXPECT_EQ(FormatDuration(56'789'999), "56.789ms");
  EXPECT_EQ(FormatDuration(999'999'999), "999.999ms");
  EXPECT_EQ(FormatDuration(3'500'000'000), "3.500s");
  EXPECT_EQ(FormatDuration(125'000'000'000), "2m05s");
  EXPECT_EQ(FormatDuration(10'920'000'000'000), "3h02m");
  EXPECT_EQ(FormatDuration(-1'500), "-1.500us");
  EXPECT_EQ(FormatDuration(INT64_MIN), "-2562047h47m");
}

TEST(TextTest, DisplayWidthCountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("\u00b5s"), 2u);       // Micro sign.
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);       // Combining acute.
  EXPECT_EQ(DisplayWidth("\u6e2c\u5b9a"), 4u);  // Two wide characters.
  EXPECT_EQ(DisplayWidth("\U0001f600"), 2u);    // Emoji.
  EXPECT_EQ(DisplayWidth("a\xff\xc3"), 3u);     // Malformed, and cut short.
  EXPECT_EQ(DisplayWidth("\xe6\xb8"), 2u);      // Cut short.
}

TEST(TextTest, PadsToColumns) {
  EXPECT_EQ(PadRight("ab", 4), "ab  ");
  EXPECT_EQ(PadLeft("\u00b5s", 4), "  \u00b5s");
  EXPECT_EQ(PadLeft("abcde", 4), "abcde");
}

}  // namespace
}  // namespace pmu
