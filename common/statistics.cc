#include "common/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace pmu {
namespace {

// The 0.975 quantile of Student's t for 1, 2, ... 30 degrees of freedom.
constexpr double kStudentT[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
// Of the normal distribution, which t becomes.
constexpr double kNormal = 1.959964;

double StudentT(int64_t degrees) {
  if (degrees <= static_cast<int64_t>(std::size(kStudentT))) return kStudentT[degrees - 1];
  // The first two terms of its expansion in 1 / degrees (Abramowitz and Stegun,
  // 26.7.5); within 0.0001 from 30 degrees on.
  const double z = kNormal;
  const double n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

}  // namespace

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

double Statistics::confidence95() const {
  if (count_ < 2) return std::numeric_limits<double>::infinity();
  return StudentT(count_ - 1) * stddev() / std::sqrt(static_cast<double>(count_));
}

}  // namespace pmu
