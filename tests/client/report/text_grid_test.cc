#include "client/report/text_grid.h"

#include <gtest/gtest.h>

namespace pmu::client {
namespace {

TEST(TextGridTest, AlignsColumnsAndKeepsMarksApart) {
  TextGrid grid;
  grid.AddColumn("name", TextGrid::Align::kLeft);
  grid.AddColumn("n", TextGrid::Align::kRight);
  grid.AddRow({{"a"}, {"1,000", " [1]"}});
  grid.AddRow({{"longer"}, {"7"}});
  grid.AddRow({{"short row"}});

  EXPECT_EQ(grid.ToString(),
            "name           n\n"
            "a          1,000 [1]\n"
            "longer         7\n"
            "short row\n");
  EXPECT_EQ(grid.Width(), 20u);
}

TEST(TextGridTest, TitlesWiderThanTheirNumbers) {
  TextGrid grid;
  grid.AddColumn("wide title", TextGrid::Align::kRight);
  grid.AddColumn("x", TextGrid::Align::kRight);
  grid.AddRow({{"7", " [1]"}, {"8"}});

  EXPECT_EQ(grid.ToString(),
            "wide title  x\n"
            "     7 [1]  8\n");
}

TEST(TextGridTest, CutsWholeCharacters) {
  TextGrid grid;
  grid.AddColumn("t", TextGrid::Align::kLeft);
  grid.AddRow({{"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"}});

  EXPECT_EQ(grid.ToString(5), "t\n\xc3\xa9\xc3\xa9...\n");
  EXPECT_EQ(grid.ToString(6), "t\n\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n");
}

TEST(TextGridTest, WrappedLinesAreIndented) {
  EXPECT_EQ(WrapItems("p: ", {"aaaa", "bbbb", "cccc"}, 15), "p: aaaa   bbbb\n   cccc\n");
  EXPECT_EQ(WrapItems("p: ", {"longer than the width"}, 5), "p: longer than the width\n");
  EXPECT_EQ(WrapWords("one two three", 2, 8), "one two\n  three\n");
}

}  // namespace
}  // namespace pmu::client
