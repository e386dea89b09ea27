#include "client/report/display_unit.h"

#include <algorithm>
#include <cmath>

#include "client/report/number_text.h"
#include "common/text.h"

namespace pmu::client {
namespace {

double Largest(const Row& row) {
  double largest = 0;
  for (const HostCell& cell : row.cells) {
    if (cell.total.value) largest = std::max(largest, std::fabs(*cell.total.value));
    for (const PerCpuValue& cpu : cell.cpus) {
      if (!cell.total.value && cpu.value.value) {
        largest = std::max(largest, std::fabs(*cpu.value.value));
      }
    }
  }
  return largest;
}

struct TimeUnit {
  const char* name;
  double ns;
};
constexpr TimeUnit kTimeUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};

// Seconds only from 10,000 s on: task-clock is read in milliseconds elsewhere.
double FirstShownAt(const TimeUnit& unit) { return unit.ns == 1e9 ? 1e13 : 10 * unit.ns; }

}  // namespace

DisplayUnit::DisplayUnit(const Row& row) : name_(row.unit) {
  const double largest = Largest(row);
  if (row.unit == "ns") {
    for (const TimeUnit& unit : kTimeUnits) {
      if (largest < FirstShownAt(unit)) continue;
      name_ = unit.name;
      divisor_ = unit.ns;
      decimals_ = 2;
      return;
    }
  }
  exact_ = row.scale == 1;
  if (exact_) return;
  decimals_ = 2;
  for (double bound = 10; decimals_ < 8 && largest < bound && largest > 0; bound /= 10) {
    ++decimals_;
  }
}

std::string DisplayUnit::Text(const Value& value) const {
  if (exact_ && value.count) return FormatCount(*value.count);
  return DecimalText(*value.value / divisor_, decimals_);
}

std::string DisplayUnit::StatisticText(double number) const {
  if (!exact_) return DecimalText(number / divisor_, decimals_);
  if (number == std::floor(number)) return DecimalText(number, 0);
  return DecimalText(number, std::fabs(number) >= 10000 ? 0 : std::fabs(number) >= 1 ? 1 : 3);
}

std::string DisplayUnit::RateText(double rate_per_s) const {
  return SignificantText(rate_per_s / divisor_);
}

}  // namespace pmu::client
