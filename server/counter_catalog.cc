#include "server/counter_catalog.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace pmu::server {
namespace {

constexpr int64_t kKeepListNs = 10'000'000'000;

// Orders the list and names a place in it. Unique: entries of equal keys are
// the same counter.
std::string KeyOf(const CatalogEntry& entry) {
  return absl::StrCat(entry.info.name, absl::string_view("\0", 1), entry.backend,
                      absl::string_view("\0", 1), entry.info.pmu);
}

bool GlobMatches(absl::string_view glob, absl::string_view text) {
  size_t g = 0;
  size_t t = 0;
  size_t star = absl::string_view::npos;  // the last '*', and what it took
  size_t taken = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = t;
    } else if (g < glob.size() &&
               (glob[g] == '?' || absl::ascii_tolower(glob[g]) == absl::ascii_tolower(text[t]))) {
      ++g;
      ++t;
    } else if (star != absl::string_view::npos) {
      g = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool Selected(const CatalogEntry& entry, const CatalogQuery& query) {
  if (query.available_only && !entry.info.availability.ok()) return false;
  return query.filter.empty() || MatchesFilter(query.filter, entry.info.name) ||
         MatchesFilter(query.filter, entry.info.description);
}

}  // namespace

bool MatchesFilter(absl::string_view filter, absl::string_view text) {
  if (filter.find_first_of("*?") != absl::string_view::npos) return GlobMatches(filter, text);
  return absl::StrContains(absl::AsciiStrToLower(text), absl::AsciiStrToLower(filter));
}

CounterCatalog::CounterCatalog(std::vector<CounterBackend*> backends, const Clock* clock,
                               std::string secret)
    : backends_(std::move(backends)), clock_(clock), secret_(std::move(secret)) {}

CounterCatalog::EntryList CounterCatalog::Current() {
  absl::MutexLock lock(&mutex_);
  const int64_t now = clock_->MonotonicNs();
  if (list_ != nullptr && now - list_read_ns_ < kKeepListNs) return list_;
  auto list = std::make_shared<std::vector<CatalogEntry>>();
  for (const CounterBackend* backend : backends_) {
    const std::string name = backend->Describe().name;
    for (CounterInfo& info : backend->ListCounters()) list->push_back({name, std::move(info)});
  }
  std::sort(list->begin(), list->end(), [](const CatalogEntry& a, const CatalogEntry& b) {
    return std::tie(a.info.name, a.backend, a.info.pmu) <
           std::tie(b.info.name, b.backend, b.info.pmu);
  });
  list_ = std::move(list);
  list_read_ns_ = now;
  return list_;
}

absl::StatusOr<CatalogPage> CounterCatalog::List(const CatalogQuery& query) {
  if (query.filter.size() > kMaxFilterBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", query.filter.size(), " bytes; at most ", kMaxFilterBytes, " are allowed"));
  }
  std::string after;
  const absl::Status status = ReadToken(query, &after);
  if (!status.ok()) return status;
  const size_t page_size =
      query.page_size == 0 ? kDefaultPageSize : std::min(query.page_size, kMaxPageSize);

  CatalogPage page;
  page.list = Current();
  for (const CatalogEntry& entry : *page.list) {
    if (!Selected(entry, query)) continue;
    ++page.total_size;
    if (!after.empty() && KeyOf(entry) <= after) continue;
    if (page.entries.size() < page_size) {
      page.entries.push_back(&entry);
    } else if (page.next_page_token.empty()) {
      page.next_page_token = TokenFor(*page.entries.back(), query);
    }
  }
  return page;
}

std::string CounterCatalog::Mark(absl::string_view after, const CatalogQuery& query) const {
  const size_t mark = absl::HashOf(secret_, query.filter, query.available_only, std::string(after));
  return absl::StrCat(absl::Hex(mark, absl::kZeroPad16));
}

std::string CounterCatalog::TokenFor(const CatalogEntry& last, const CatalogQuery& query) const {
  const std::string key = KeyOf(last);
  return absl::StrCat(absl::WebSafeBase64Escape(key), ".", Mark(key, query));
}

absl::Status CounterCatalog::ReadToken(const CatalogQuery& query, std::string* after) const {
  if (query.page_token.empty()) return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(query.page_token, '.');
  if (parts.size() != 2 || !absl::WebSafeBase64Unescape(parts[0], after) ||
      parts[1] != Mark(*after, query)) {
    return absl::InvalidArgumentError(
        "page_token is not one that this agent gave for this filter; begin with an empty one");
  }
  return absl::OkStatus();
}

}  // namespace pmu::server
