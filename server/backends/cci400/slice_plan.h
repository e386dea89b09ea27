// slice_plan.h: which events share the four event counters when.
//
// Pure data, thread-compatible.
#ifndef PMU_SERVER_BACKENDS_CCI400_SLICE_PLAN_H_
#define PMU_SERVER_BACKENDS_CCI400_SLICE_PLAN_H_

#include <cstddef>
#include <vector>

namespace pmu::server {

// A unit is a group of events that must count at the same time, or one event
// without a group.
class SlicePlan {
 public:
  // `groups`: the group of each event, 0 for none; `capacity`: counters there
  // are. Without `share` what does not fit beside what came before is refused;
  // with it, only a group that never fits.
  SlicePlan(const std::vector<int>& groups, size_t capacity, bool share);

  // True: the event will never count.
  bool refused(size_t event) const { return refused_[event]; }
  // True: its whole group is larger than the hardware.
  bool group_too_large(size_t event) const { return group_too_large_[event]; }

  // The events of the next slice, in order; each call starts one unit further,
  // so that every unit has its turn. Without sharing always the same.
  std::vector<size_t> NextSlice();

  // Whether there is more than one slice.
  bool shares() const;

 private:
  size_t CountEvents() const;

  const size_t capacity_;
  std::vector<std::vector<size_t>> units_;  // accepted ones
  std::vector<bool> refused_;
  std::vector<bool> group_too_large_;
  size_t next_unit_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_SLICE_PLAN_H_
