#include "server/utf8.h"

#include "gtest/gtest.h"

namespace pmu::server {
namespace {

TEST(Utf8Test, KeepsWhatIsWellFormed) {
  for (const char* text : {"", "plain", "µJ °C", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
                           "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(ValidUtf8(text), text);
  }
}

TEST(Utf8Test, ReplacesEveryMalformedByte) {
  EXPECT_EQ(ValidUtf8("a\xff"
                      "b"),
            "a?b");
  EXPECT_EQ(ValidUtf8("\xc3"), "?") << "cut short";
  EXPECT_EQ(ValidUtf8("\xe2\x82"), "??");
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), "??") << "too long a form";
  EXPECT_EQ(ValidUtf8("\xe0\x80\xaf"), "???");
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), "???") << "surrogate";
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), "????") << "beyond U+10FFFF";
  EXPECT_EQ(ValidUtf8("\xc3(\xc2\xb5"), "?(\xc2\xb5");
}

}  // namespace
}  // namespace pmu::server
