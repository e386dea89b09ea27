#include "common/cpu_list.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text.h"

namespace pmu {
namespace {

struct CpuRange {
  int first;
  int last;
};

absl::Status TokenError(size_t position, absl::string_view token, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("CPU list, position ", position, ": ", Quote(token), " ", what));
}

// Parses one token, "5" or "2-7".
absl::StatusOr<CpuRange> ParseRange(absl::string_view token, size_t position) {
  if (token.empty()) return TokenError(position, token, "is no CPU number; remove the comma");
  const size_t dash = token.find('-');
  const absl::optional<uint64_t> first = ParseDigits(token.substr(0, dash));
  const absl::optional<uint64_t> last =
      dash == absl::string_view::npos ? first : ParseDigits(token.substr(dash + 1));
  if (!first || !last) {
    return TokenError(position, token, "is no CPU number and no range such as 0-3");
  }
  if (*first > *last) return TokenError(position, token, "runs backwards");
  if (*last >= kMaxCpus) {
    return TokenError(position, token,
                      absl::StrCat("is above the largest CPU number, ", kMaxCpus - 1));
  }
  return CpuRange{static_cast<int>(*first), static_cast<int>(*last)};
}

}  // namespace

absl::StatusOr<CpuList> ParseCpuList(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) return CpuList();
  std::vector<CpuRange> ranges;
  for (const absl::string_view piece : absl::StrSplit(text, ',')) {
    const absl::string_view token = absl::StripAsciiWhitespace(piece);
    absl::StatusOr<CpuRange> range =
        ParseRange(token, static_cast<size_t>(token.data() - text.data()) + 1);
    if (!range.ok()) return range.status();
    ranges.push_back(*range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const CpuRange& a, const CpuRange& b) { return a.first < b.first; });
  // Expanded only after sorting: overlapping ranges cost nothing twice.
  CpuList cpus;
  for (const CpuRange& range : ranges) {
    int cpu = cpus.empty() ? range.first : std::max(range.first, cpus.back() + 1);
    for (; cpu <= range.last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string FormatCpuList(const CpuList& cpus) {
  std::string text;
  for (size_t first = 0; first < cpus.size();) {
    size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", cpus[first]);
    if (last > first) absl::StrAppend(&text, "-", cpus[last]);
    first = last + 1;
  }
  return text;
}

CpuList IntersectCpuLists(const CpuList& a, const CpuList& b) {
  CpuList both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

CpuList SubtractCpuLists(const CpuList& a, const CpuList& b) {
  CpuList rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace pmu
