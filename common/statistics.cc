#include "common/statistics.h"

#include <algorithm>
#include <cmath>

namespace pmu {

void Statistics::Add(double number) {
  ++count_;
  if (count_ == 1) {
    min_ = max_ = number;
  } else {
    min_ = std::min(min_, number);
    max_ = std::max(max_, number);
  }
  const double from_old_mean = number - mean_;
  mean_ += from_old_mean / static_cast<double>(count_);
  sum_of_squares_ += from_old_mean * (number - mean_);
}

double Statistics::stddev() const {
  if (count_ < 2) return 0;
  return std::sqrt(sum_of_squares_ / static_cast<double>(count_ - 1));
}

}  // namespace pmu
