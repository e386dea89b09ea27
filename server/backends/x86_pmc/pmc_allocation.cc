#include "server/backends/x86_pmc/pmc_allocation.h"

#include <array>

namespace pmu::server {
namespace {

constexpr int kCounters = 32;

// Matching of requests with counters along augmenting paths (Kuhn).
class Matching {
 public:
  Matching(absl::Span<const PmcRequest> requests, uint32_t free_counters)
      : requests_(requests), free_counters_(free_counters) {
    holder_.fill(-1);
  }

  bool Add(int request) {
    visited_ = 0;
    return Place(request);
  }

  int CounterOf(int request) const {
    for (int counter = 0; counter < kCounters; ++counter) {
      if (holder_[counter] == request) return counter;
    }
    return -1;
  }

 private:
  bool Place(int request) {
    const uint32_t usable = requests_[request].counters & free_counters_;
    // A free counter before one that its holder would have to leave.
    for (int counter = 0; counter < kCounters; ++counter) {
      if (((usable >> counter) & 1) == 0 || holder_[counter] >= 0) continue;
      holder_[counter] = request;
      return true;
    }
    for (int counter = 0; counter < kCounters; ++counter) {
      const uint32_t bit = uint32_t{1} << counter;
      if ((usable & bit) == 0 || (visited_ & bit) != 0) continue;
      visited_ |= bit;
      if (!Place(holder_[counter])) continue;
      holder_[counter] = request;
      return true;
    }
    return false;
  }

  absl::Span<const PmcRequest> requests_;
  uint32_t free_counters_;
  std::array<int, kCounters> holder_;
  uint32_t visited_ = 0;
};

}  // namespace

std::vector<int> AllocateCounters(absl::Span<const PmcRequest> requests, uint32_t free_counters) {
  const int count = static_cast<int>(requests.size());
  std::vector<bool> handled(requests.size(), false);
  Matching matching(requests, free_counters);
  for (int first = 0; first < count; ++first) {
    if (handled[first]) continue;
    Matching trial = matching;
    bool fits = true;
    for (int i = first; i < count; ++i) {
      const bool is_member =
          i == first || (requests[first].group != 0 && requests[i].group == requests[first].group);
      if (!is_member || handled[i]) continue;
      handled[i] = true;
      fits = fits && trial.Add(i);
    }
    if (fits) matching = trial;
  }
  std::vector<int> counters;
  for (int i = 0; i < count; ++i) counters.push_back(matching.CounterOf(i));
  return counters;
}

}  // namespace pmu::server
