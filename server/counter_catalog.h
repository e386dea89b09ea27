// counter_catalog.h: everything the backends can count, in pages.
//
// A page begins after a name, not at a number: pages stay right when the list
// changes in between (a module is loaded, a tracepoint appears).
//
// Thread-safe. Keeps the last list for some seconds, since backends walk
// thousands of files for it.
#ifndef PMU_SERVER_COUNTER_CATALOG_H_
#define PMU_SERVER_COUNTER_CATALOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "server/backends/counter_backend.h"

namespace pmu::server {

inline constexpr size_t kDefaultPageSize = 500;
inline constexpr size_t kMaxPageSize = 1000;
inline constexpr size_t kMaxFilterBytes = 256;

struct CatalogEntry {
  std::string backend;
  CounterInfo info;
};

// See ListCountersRequest.
struct CatalogQuery {
  std::string filter;
  size_t page_size = 0;
  std::string page_token;
  bool available_only = false;
};

struct CatalogPage {
  std::vector<const CatalogEntry*> entries;  // alive as long as `list`
  std::string next_page_token;
  size_t total_size = 0;
  std::shared_ptr<const std::vector<CatalogEntry>> list;
};

class CounterCatalog {
 public:
  // `backends` and `clock` must outlive it. `secret` marks the page tokens of
  // this agent.
  CounterCatalog(std::vector<CounterBackend*> backends, const Clock* clock, std::string secret);

  // INVALID_ARGUMENT: the filter is too long, or page_token is not one this
  // agent gave for the same filter.
  absl::StatusOr<CatalogPage> List(const CatalogQuery& query);

 private:
  using EntryList = std::shared_ptr<const std::vector<CatalogEntry>>;

  EntryList Current();
  std::string TokenFor(const CatalogEntry& last, const CatalogQuery& query) const;
  // Fills the key of the last entry of the page before.
  absl::Status ReadToken(const CatalogQuery& query, std::string* after) const;
  std::string Mark(absl::string_view after, const CatalogQuery& query) const;

  const std::vector<CounterBackend*> backends_;
  const Clock* const clock_;
  const std::string secret_;

  absl::Mutex mutex_;
  EntryList list_ ABSL_GUARDED_BY(mutex_);
  int64_t list_read_ns_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Whether `text` holds `filter`, or matches it as a glob when it has '*' or
// '?'; upper and lower case are the same. Takes time |filter| x |text| at most.
bool MatchesFilter(absl::string_view filter, absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_COUNTER_CATALOG_H_
