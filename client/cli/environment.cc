#include "client/cli/environment.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/output.h"
#include "client/report/number_text.h"

namespace pmu::cli {
namespace {

constexpr size_t kBeforeCaret = 50;
constexpr size_t kAfterCaret = 25;

}  // namespace

void PrintError(const Environment& environment, absl::string_view message) {
  // There is nowhere to complain to when this fails.
  WriteStream(environment.err, absl::StrCat("pmuctl: ", message, "\n")).IgnoreError();
}

void PrintErrorIn(const Environment& environment, const absl::Status& status,
                  absl::string_view text) {
  const absl::string_view message = status.message();
  PrintError(environment, absl::StrCat(message, CaretLines(message, text)));
}

std::string CaretLines(absl::string_view message, absl::string_view text) {
  constexpr absl::string_view kMark = "position ";
  const size_t mark = message.find(kMark);
  // A position in a file is not one in what was typed.
  if (mark == absl::string_view::npos || absl::StrContains(message, "line ")) return "";
  absl::string_view digits = message.substr(mark + kMark.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  size_t position = 0;
  if (!absl::SimpleAtoi(digits, &position) || position == 0 || position > text.size() + 1) {
    return "";
  }
  const size_t start = position - 1 > kBeforeCaret ? position - 1 - kBeforeCaret : 0;
  const size_t end = std::min(text.size(), position + kAfterCaret);
  return absl::StrCat("\n  ", start > 0 ? "..." : "",
                      client::Printable(text.substr(start, end - start)),
                      end < text.size() ? "..." : "", "\n  ",
                      std::string(position - 1 - start + (start > 0 ? 3 : 0), ' '), "^");
}

}  // namespace pmu::cli
