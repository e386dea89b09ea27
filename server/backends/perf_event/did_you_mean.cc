#include "server/backends/perf_event/did_you_mean.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

constexpr size_t kMaxWordBytes = 64;
constexpr size_t kMaxSuggestions = 3;

char Fold(char c) {
  if (c == '_') return '-';
  return absl::ascii_tolower(static_cast<unsigned char>(c));
}

// Levenshtein distance of words of at most kMaxWordBytes, case and _/- folded.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::array<size_t, kMaxWordBytes + 1> row;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (Fold(a[i - 1]) == Fold(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DidYouMean(absl::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kMaxWordBytes) return "";
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& name : known) {
    if (name.size() > kMaxWordBytes) continue;
    const size_t longer = std::max(name.size(), word.size());
    if (longer - std::min(name.size(), word.size()) > limit) continue;
    const size_t distance = EditDistance(word, name);
    if (distance <= limit) near.emplace_back(distance, name);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.empty()) return "";
  if (near.size() > kMaxSuggestions) near.resize(kMaxSuggestions);
  std::string text = "; did you mean ";
  for (size_t i = 0; i < near.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : " or ", "'", near[i].second, "'");
  }
  return text + "?";
}

}  // namespace pmu::server
