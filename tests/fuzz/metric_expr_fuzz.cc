// Metric formulas are typed by people and kept in files: any bytes must give a
// metric or an error, and any counts a finite number or a reason.
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/metric_expr.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void CheckValue(const pmu::MetricValue& value) {
  if (value.number.has_value()) {
    Require(std::isfinite(*value.number) && value.reason.empty());
  } else {
    Require(!value.reason.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto metric = pmu::MetricExpr::Parse(text);
  if (!metric.ok()) {
    Require(absl::StrContains(metric.status().message(), "position") || size == 0 ||
            size > pmu::kMaxMetricBytes);
    return 0;
  }
  Require(!metric->name().empty());
  constexpr double kCounts[] = {0, 1, 3e19, std::numeric_limits<double>::max()};
  for (const double count : kCounts) {
    CheckValue(metric->Evaluate([=](size_t) -> absl::optional<double> { return count; }));
  }
  CheckValue(metric->Evaluate([](size_t i) -> absl::optional<double> {
    if (i % 2 == 0) return absl::nullopt;
    return static_cast<double>(i);
  }));
  // What was parsed can be written down and parsed again.
  const auto again = pmu::MetricExpr::Parse(absl::StrCat("m = ", metric->formula()));
  Require(again.ok() || metric->formula().size() + 4 > pmu::kMaxMetricBytes);
  if (again.ok()) Require(again->inputs() == metric->inputs());
  return 0;
}
