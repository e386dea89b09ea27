// statistics.h: mean and spread of a set of numbers.
//
// Thread-compatible: callers serialise.
#ifndef PMU_COMMON_STATISTICS_H_
#define PMU_COMMON_STATISTICS_H_

#include <cstdint>

namespace pmu {

// Running mean, spread and extremes (Welford's method, no cancellation for
// large counts with a small spread).
class Statistics {
 public:
  void Add(double number);

  int64_t count() const { return count_; }
  // All 0 while count() is 0.
  double mean() const { return mean_; }
  double min() const { return min_; }
  double max() const { return max_; }
  // Sample standard deviation (divided by n - 1); 0 for fewer than two.
  double stddev() const;
  // Half the width of the 95% confidence interval of the mean, by Student's t
  // for count() - 1 degrees of freedom; infinite for fewer than two.
  double confidence95() const;

 private:
  int64_t count_ = 0;
  double mean_ = 0;
  double sum_of_squares_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace pmu

#endif  // PMU_COMMON_STATISTICS_H_
