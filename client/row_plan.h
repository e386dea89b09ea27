// row_plan.h: which rows a report has.
//
// One row per requested event, in the order asked; where a machine counts one
// event on several kinds of PMU (a hybrid CPU), one row for each kind and one
// for their sum. Pure; safe from any thread.
#ifndef PMU_CLIENT_ROW_PLAN_H_
#define PMU_CLIENT_ROW_PLAN_H_

#include <string>
#include <vector>

#include "client/result.h"

namespace pmu::client {

struct PlannedRow {
  int requested_index = 0;
  std::string label;
  // Only events of this PMU family; all of them when `is_sum`, or when no
  // host has more than one family.
  std::string family;
  bool one_family = false;  // `family` selects
  bool is_sum = false;
};

std::vector<PlannedRow> PlanRows(const MeasurementResult& result);

// What a host has for a row. Pointers into `host`.
struct RowEvents {
  std::vector<const EventResult*> events;
  // The host counts this event, but has no PMU of the row's family: there is
  // nothing that could be missing.
  bool elsewhere = false;
};

RowEvents SelectEvents(const PlannedRow& row, const HostResult& host);

}  // namespace pmu::client

#endif  // PMU_CLIENT_ROW_PLAN_H_
