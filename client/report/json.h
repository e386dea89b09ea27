// json.h: the result of a measurement as one JSON document, schema "pmu.run/1"
// (docs/output.md describes every field).
//
// Holds everything the table has, and every raw reading. Pure; safe from any
// thread.
#ifndef PMU_CLIENT_REPORT_JSON_H_
#define PMU_CLIENT_REPORT_JSON_H_

#include <map>
#include <string>

#include "client/aggregate.h"
#include "client/intervals.h"

namespace pmu::client {

struct JsonOptions {
  std::map<std::string, std::string> labels;  // of the measurement
  bool one_line = false;                      // after lines of intervals
};

std::string PrintJson(const Report& report, const JsonOptions& options);

// One line: see "pmu.interval/1" in docs/output.md. `report` is that of the
// interval's result, with its metrics.
std::string PrintIntervalJson(const Interval& interval, const Report& report);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_JSON_H_
