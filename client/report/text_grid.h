// text_grid.h: columns of text, aligned with spaces.
//
// Order: AddColumn for each column, then AddRow, then ToString.
// Thread-compatible.
#ifndef PMU_CLIENT_REPORT_TEXT_GRID_H_
#define PMU_CLIENT_REPORT_TEXT_GRID_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu::client {

// Items one after another, three spaces apart, in lines of at most `width`
// columns. The first line starts with `prefix`, the others with as many spaces.
std::string WrapItems(absl::string_view prefix, const std::vector<std::string>& items,
                      size_t width);

// A sentence broken between words, further lines indented by `indent`.
std::string WrapWords(absl::string_view text, size_t indent, size_t width);

class TextGrid {
 public:
  enum class Align { kLeft, kRight };

  struct Cell {
    Cell() = default;
    Cell(std::string t) : text(std::move(t)) {}  // NOLINT: meant to convert
    Cell(std::string t, std::string m) : text(std::move(t)), mark(std::move(m)) {}
    std::string text;
    // A footnote mark after the text. Marks have a column of their own, so
    // that numbers with and without one stay aligned.
    std::string mark;
  };

  void AddColumn(absl::string_view title, Align align);
  // Missing cells at the end are empty.
  void AddRow(std::vector<Cell> cells);

  size_t column_count() const { return columns_.size(); }
  // Of the widest line.
  size_t Width() const;
  // One line per row, below the titles; no space at line ends. Lines are cut
  // at `max_width`, if given.
  std::string ToString(absl::optional<size_t> max_width = absl::nullopt) const;

 private:
  struct Column {
    std::string title;
    Align align;
    size_t text_width;
    size_t mark_width;
    size_t Width() const;
  };
  std::string Line(const std::vector<Cell>& cells, bool is_title) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_TEXT_GRID_H_
