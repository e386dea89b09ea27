#include "server/backends/cci400/slice_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace pmu::server {

SlicePlan::SlicePlan(const std::vector<int>& groups, size_t capacity, bool share)
    : capacity_(capacity), refused_(groups.size()), group_too_large_(groups.size()) {
  std::vector<std::vector<size_t>> asked;
  std::map<int, size_t> unit_of_group;
  for (size_t event = 0; event < groups.size(); ++event) {
    const auto known = unit_of_group.find(groups[event]);
    if (groups[event] != 0 && known != unit_of_group.end()) {
      asked[known->second].push_back(event);
      continue;
    }
    if (groups[event] != 0) unit_of_group[groups[event]] = asked.size();
    asked.push_back({event});
  }
  size_t used = 0;
  for (std::vector<size_t>& unit : asked) {
    const bool too_large = unit.size() > capacity;
    if (!too_large && (share || used + unit.size() <= capacity)) {
      used += unit.size();
      units_.push_back(std::move(unit));
      continue;
    }
    for (size_t event : unit) {
      refused_[event] = true;
      group_too_large_[event] = too_large;
    }
  }
}

size_t SlicePlan::CountEvents() const {
  size_t count = 0;
  for (const std::vector<size_t>& unit : units_) count += unit.size();
  return count;
}

bool SlicePlan::shares() const { return CountEvents() > capacity_; }

std::vector<size_t> SlicePlan::NextSlice() {
  std::vector<size_t> slice;
  for (size_t i = 0; i < units_.size(); ++i) {
    const std::vector<size_t>& unit = units_[(next_unit_ + i) % units_.size()];
    if (slice.size() + unit.size() <= capacity_)
      slice.insert(slice.end(), unit.begin(), unit.end());
  }
  if (!units_.empty() && shares()) next_unit_ = (next_unit_ + 1) % units_.size();
  std::sort(slice.begin(), slice.end());
  return slice;
}

}  // namespace pmu::server
