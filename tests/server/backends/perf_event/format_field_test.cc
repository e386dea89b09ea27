#include "server/backends/perf_event/format_field.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

TEST(FormatFieldTest, BitsGoLowToHighInTheOrderWritten) {
  const FormatField field = *FormatField::Parse("config:0-7,21");

  EXPECT_EQ(field.word(), ConfigWord::kConfig);
  EXPECT_EQ(field.bit_count(), 9);
  EXPECT_EQ(field.largest(), 0x1ffu);
  EXPECT_EQ(field.mask(), 0x2000ffu);
  EXPECT_EQ(field.Scatter(0x102), 0x200002u);
}

TEST(FormatFieldTest, PiecesMayComeInAnyOrder) {
  const FormatField field = *FormatField::Parse("config1:8-11,0-3");

  EXPECT_EQ(field.word(), ConfigWord::kConfig1);
  EXPECT_EQ(field.Scatter(0x21), 0x102u);
}

TEST(FormatFieldTest, SixtyFourBits) {
  const FormatField field = *FormatField::Parse("config2:0-63");

  EXPECT_EQ(field.largest(), ~uint64_t{0});
  EXPECT_EQ(field.Scatter(0xdeadbeefcafef00d), 0xdeadbeefcafef00du);
  EXPECT_EQ(FormatField::WholeWord(ConfigWord::kConfig2).mask(), ~uint64_t{0});
}

TEST(FormatFieldTest, SingleBitAndWhiteSpace) {
  EXPECT_EQ(FormatField::Parse("config:63\n")->Scatter(1), uint64_t{1} << 63);
}

TEST(FormatFieldTest, RefusesWhatIsNoFormat) {
  for (const char* text :
       {"", "config", "config:", "hello", "config:0-", "config:0-,5", "config:7-0", "config:60-70",
        "config:64", "config:-1", "config:+1", "config: 1", "config:1-2-3", "config:0-7,7",
        "config:0x1", "config:99999999999999999999", "config9:0-3", "Config:0"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(FormatField::Parse(text).status())) << text;
  }
  EXPECT_TRUE(absl::IsUnimplemented(FormatField::Parse("config3:0-7").status()));
}

}  // namespace
}  // namespace pmu::server
