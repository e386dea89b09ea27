// FoldHostList of host_list.h: from hosts to the shortest text.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/host_list.h"
#include "common/host_pattern.h"
#include "common/text.h"

namespace pmu {
namespace {

// Hosts that differ only in folded places: text and number alternate, text
// first, and a folded number is "[...]". "rack1n02" is {"rack","1","n","02"}.
using Shape = std::vector<std::string>;

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Addresses with brackets and paths are left alone: one piece.
bool IsFoldable(absl::string_view host) {
  return !absl::StartsWith(host, "unix:") && !absl::StartsWith(host, "@") &&
         host.find_first_of("[],") == absl::string_view::npos;
}

Shape SplitNumbers(absl::string_view host) {
  if (!IsFoldable(host)) return {std::string(host)};
  Shape shape(1);
  for (size_t at = 0; at < host.size();) {
    size_t end = at;
    while (end < host.size() && IsDigit(host[end]) == IsDigit(host[at])) ++end;
    const absl::string_view run = host.substr(at, end - at);
    at = end;
    if (IsDigit(run[0]) && run.size() <= kMaxRangeDigits) {
      shape.emplace_back(run);
      shape.emplace_back();
    } else {
      absl::StrAppend(&shape.back(), run);
    }
  }
  return shape;
}

struct NumberRun {
  uint64_t first;
  uint64_t last;
  size_t width;  // 0: not padded.
};

// "[7,07,09-11]" for the numbers as written, each once. A run goes on while
// the next number is written as the parser would write it.
std::string FoldNumbers(const std::vector<std::string>& numbers) {
  struct Number {
    size_t width;
    uint64_t number;
    const std::string* text;
  };
  std::vector<Number> sorted;
  absl::flat_hash_set<absl::string_view> left;
  for (const std::string& text : numbers) {
    const bool padded = text.size() > 1 && text[0] == '0';
    sorted.push_back({padded ? text.size() : 0, *ParseDigits(text), &text});
    left.insert(text);
  }
  // Padded numbers first: "09" goes on to "10", which is written as unpadded.
  std::sort(sorted.begin(), sorted.end(), [](const Number& a, const Number& b) {
    if ((a.width == 0) != (b.width == 0)) return a.width != 0;
    return std::tie(a.width, a.number) < std::tie(b.width, b.number);
  });
  std::vector<NumberRun> runs;
  for (const Number& number : sorted) {
    if (left.erase(*number.text) == 0) continue;
    NumberRun run{number.number, number.number, number.width};
    while (left.erase(PaddedNumber(run.last + 1, run.width)) != 0) ++run.last;
    runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(), [](const NumberRun& a, const NumberRun& b) {
    return std::tie(a.first, a.width) < std::tie(b.first, b.width);
  });
  return absl::StrCat("[",
                      absl::StrJoin(runs, ",",
                                    [](std::string* out, const NumberRun& run) {
                                      absl::StrAppend(out, PaddedNumber(run.first, run.width));
                                      if (run.last == run.first) return;
                                      absl::StrAppend(out, "-", PaddedNumber(run.last, run.width));
                                    }),
                      "]");
}

// Merges the shapes that differ only in place `place`, each merged one where
// the first of them stood.
std::vector<Shape> FoldPlace(std::vector<Shape> shapes, size_t place) {
  struct Group {
    size_t first;
    std::vector<std::string> numbers;
  };
  std::vector<Group> groups;
  absl::flat_hash_map<std::string, size_t> group_of;
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::string key;
    if (place < shapes[i].size()) {
      std::swap(key, shapes[i][place]);
    }
    std::string number = std::move(key);
    // A line feed cannot stand in a host, so that joined keys stay distinct.
    key = absl::StrJoin(shapes[i], "\n");
    const auto [entry, is_new] = group_of.try_emplace(std::move(key), groups.size());
    if (is_new) groups.push_back(Group{i, {}});
    if (place < shapes[i].size()) groups[entry->second].numbers.push_back(std::move(number));
  }
  std::vector<Shape> folded;
  for (Group& group : groups) {
    Shape shape = std::move(shapes[group.first]);
    if (group.numbers.size() == 1) shape[place] = std::move(group.numbers[0]);
    if (group.numbers.size() > 1) shape[place] = FoldNumbers(group.numbers);
    folded.push_back(std::move(shape));
  }
  return folded;
}

}  // namespace

std::string FoldHostList(const std::vector<std::string>& hosts) {
  std::vector<Shape> shapes;
  absl::flat_hash_set<absl::string_view> seen;
  size_t longest = 0;
  for (const std::string& host : hosts) {
    if (!seen.insert(host).second) continue;
    shapes.push_back(SplitNumbers(host));
    longest = std::max(longest, shapes.back().size());
  }
  // The last number first: it is the one that counts up in most names.
  for (size_t place = longest; place-- > 0;) {
    if (place % 2 == 1) shapes = FoldPlace(std::move(shapes), place);
  }
  return absl::StrJoin(shapes, ",", [](std::string* out, const Shape& shape) {
    absl::StrAppend(out, absl::StrJoin(shape, ""));
  });
}

}  // namespace pmu
