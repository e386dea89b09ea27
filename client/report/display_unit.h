// display_unit.h: in which unit, and with how many digits, a row is shown.
//
// Plain counts are shown exactly. Times counted in nanoseconds are shown in the
// unit that suits the largest of the row (9,998.12 ms). The machine formats do
// not use this: they keep the counter's own unit. Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_DISPLAY_UNIT_H_
#define PMU_CLIENT_REPORT_DISPLAY_UNIT_H_

#include <string>

#include "client/aggregate.h"

namespace pmu::client {

class DisplayUnit {
 public:
  // Fits all numbers of the row, so that they can be compared at a glance.
  explicit DisplayUnit(const Row& row);

  const std::string& name() const { return name_; }
  // Of a value that has a number.
  std::string Text(const Value& value) const;
  // Of a statistic of such values, given in the row's own unit.
  std::string StatisticText(double number) const;
  // A rate per second, given in the row's own unit.
  std::string RateText(double rate_per_s) const;

 private:
  std::string name_;
  double divisor_ = 1;
  int decimals_ = 0;
  bool exact_ = false;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_DISPLAY_UNIT_H_
