#include "client/report/text_grid.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/report/number_text.h"
#include "common/text.h"

namespace pmu::client {
namespace {

constexpr size_t kGap = 2;

std::string Spaces(size_t count) { return std::string(count, ' '); }

// `line` cut to `width` columns, "..." at the end.
std::string Cut(const std::string& line, size_t width) {
  if (DisplayWidth(line) <= width) return line;
  std::string cut = line;
  while (!cut.empty() && DisplayWidth(cut) + 3 > width) {
    // A whole character: UTF-8's continuation bytes with it.
    while (cut.size() > 1 && (static_cast<unsigned char>(cut.back()) & 0xc0) == 0x80)
      cut.pop_back();
    cut.pop_back();
  }
  return cut + "...";
}

}  // namespace

std::string WrapItems(absl::string_view prefix, const std::vector<std::string>& items,
                      size_t width) {
  std::string out(prefix);
  size_t used = DisplayWidth(prefix);
  bool line_start = true;
  for (const std::string& item : items) {
    // Items may be padded to stand in columns.
    if (!line_start && used + 3 + DisplayWidth(item) > width) {
      absl::StripTrailingAsciiWhitespace(&out);
      absl::StrAppend(&out, "\n", Spaces(DisplayWidth(prefix)));
      used = DisplayWidth(prefix);
      line_start = true;
    }
    absl::StrAppend(&out, line_start ? "" : "   ", item);
    used += DisplayWidth(item) + (line_start ? 0 : 3);
    line_start = false;
  }
  absl::StripTrailingAsciiWhitespace(&out);
  return out + "\n";
}

std::string WrapWords(absl::string_view text, size_t indent, size_t width) {
  std::string out;
  size_t used = 0;
  bool line_start = true;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    const size_t size = DisplayWidth(word);
    if (!line_start && used + 1 + size > width) {
      absl::StrAppend(&out, "\n", Spaces(indent));
      used = indent;
      line_start = true;
    }
    absl::StrAppend(&out, line_start ? "" : " ", word);
    used += size + (line_start ? 0 : 1);
    line_start = false;
  }
  return out + "\n";
}

size_t TextGrid::Column::Width() const {
  return std::max(DisplayWidth(title), text_width + mark_width);
}

void TextGrid::AddColumn(absl::string_view title, Align align) {
  columns_.push_back({Printable(title), align, 0, 0});
}

void TextGrid::AddRow(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i].text = Printable(cells[i].text);
    columns_[i].text_width = std::max(columns_[i].text_width, DisplayWidth(cells[i].text));
    columns_[i].mark_width = std::max(columns_[i].mark_width, DisplayWidth(cells[i].mark));
  }
  rows_.push_back(std::move(cells));
}

size_t TextGrid::Width() const {
  size_t width = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
  for (const Column& column : columns_) width += column.Width();
  return width;
}

std::string TextGrid::Line(const std::vector<Cell>& cells, bool is_title) const {
  std::string line;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const std::string text = absl::StrCat(cells[i].text, cells[i].mark);
    // Titles stand above the numbers, whatever the marks.
    const size_t mark_gap = is_title
                                ? std::min(column.mark_width, column.Width() - DisplayWidth(text))
                                : column.mark_width - DisplayWidth(cells[i].mark);
    const size_t gap = column.Width() - DisplayWidth(text);
    const size_t before = column.align == Align::kRight ? gap - mark_gap : 0;
    absl::StrAppend(&line, i == 0 ? "" : Spaces(kGap), Spaces(before), text, Spaces(gap - before));
  }
  return std::string(absl::StripTrailingAsciiWhitespace(line));
}

std::string TextGrid::ToString(absl::optional<size_t> max_width) const {
  std::vector<Cell> titles;
  titles.reserve(columns_.size());
  for (const Column& column : columns_) titles.emplace_back(column.title);
  auto line = [&](const std::vector<Cell>& cells, bool is_title) {
    const std::string whole = Line(cells, is_title);
    return absl::StrCat(max_width ? Cut(whole, *max_width) : whole, "\n");
  };
  std::string out = line(titles, /*is_title=*/true);
  for (const std::vector<Cell>& row : rows_) out += line(row, /*is_title=*/false);
  return out;
}

}  // namespace pmu::client
