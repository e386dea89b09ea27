#include "client/report/number_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "absl/numeric/int128.h"

namespace pmu::client {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberTextTest, DecimalsAreGrouped) {
  EXPECT_EQ(DecimalText(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(DecimalText(-1234, 0), "-1,234");
  EXPECT_EQ(DecimalText(999, 0), "999");
  EXPECT_EQ(DecimalText(kNan, 2), "-");
  EXPECT_EQ(DecimalText(-kInfinity, 2), "-");
}

TEST(NumberTextTest, SignificantDigitsFollowTheSize) {
  EXPECT_EQ(SignificantText(0), "0");
  EXPECT_EQ(SignificantText(1234.5), "1,234");
  EXPECT_EQ(SignificantText(123.45), "123.5");
  EXPECT_EQ(SignificantText(0.5), "0.500");
  EXPECT_EQ(SignificantText(0.0123), "0.012300");
  EXPECT_EQ(SignificantText(1e-9), "1.000e-09");
  EXPECT_EQ(SignificantText(kNan), "-");
}

TEST(NumberTextTest, PercentIsAllOnlyWhenItIsAll) {
  EXPECT_EQ(PercentText(1), "100%");
  EXPECT_EQ(PercentText(0.99999), ">99.9%");
  EXPECT_EQ(PercentText(0.75), "75.0%");
  EXPECT_EQ(PercentText(0.0001), "<0.1%");
  EXPECT_EQ(PercentText(0), "0%");
}

TEST(NumberTextTest, TimesHaveUnits) {
  EXPECT_EQ(MillisecondsText(41'000), "0.041 ms");
  EXPECT_EQ(SecondsText(5'000'400'000), "5.000 s");
}

TEST(NumberTextTest, PlainNumbersReadBackAsTheSame) {
  EXPECT_EQ(PlainNumber(0.1), "0.1");
  EXPECT_EQ(PlainNumber(1e22), "1e+22");
  EXPECT_EQ(PlainNumber(kNan), "");
  EXPECT_EQ(PlainNumber(kInfinity), "");
  EXPECT_EQ(PlainNumber(absl::Uint128Max()), "340282366920938463463374607431768211455");
}

TEST(NumberTextTest, ControlCharactersAreReplaced) {
  EXPECT_EQ(Printable("a\033[1mb\n\x7f"), "a?[1mb??");
  EXPECT_EQ(Printable("csi \xc2\x9b, \xc3\xa9"), "csi ?, \xc3\xa9");
}

TEST(NumberTextTest, WhatIsNotUtf8IsReplaced) {
  constexpr char kReplacement[] = "\xef\xbf\xbd";
  EXPECT_EQ(ValidUtf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(ValidUtf8("a\xff"), std::string("a") + kReplacement);
  EXPECT_EQ(ValidUtf8("\xe2\x82"), std::string(kReplacement) + kReplacement);
  EXPECT_EQ(ValidUtf8("\xc0\x80"), std::string(kReplacement) + kReplacement) << "overlong";
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80").size(), 9u) << "surrogate";
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80").size(), 12u) << "beyond U+10FFFF";
}

}  // namespace
}  // namespace pmu::client
