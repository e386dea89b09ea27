#include "client/row_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace pmu::client {
namespace {

bool IsFor(const EventResult& event, int requested_index) {
  return event.event.requested_index() == static_cast<uint32_t>(requested_index);
}

void AddOnce(const std::string& text, std::vector<std::string>* list) {
  if (std::find(list->begin(), list->end(), text) == list->end()) list->push_back(text);
}

// The families that count one requested event, over all hosts, in order of
// first mention.
struct Families {
  std::vector<std::string> names;
  bool hybrid = false;  // some host has several
};

Families FamiliesOf(const MeasurementResult& result, int requested_index) {
  Families families;
  std::vector<std::string> unsupported;
  for (const HostResult& host : result.hosts) {
    std::vector<std::string> here;
    for (const EventResult& event : host.events) {
      if (!IsFor(event, requested_index)) continue;
      AddOnce(event.event.pmu_family(), &here);
      AddOnce(event.event.pmu_family(), event.event.supported() ? &families.names : &unsupported);
    }
    if (here.size() > 1) {
      families.hybrid = true;
      // All kinds of a hybrid machine get their row, also one that cannot count.
      for (const std::string& name : here) AddOnce(name, &families.names);
    }
  }
  if (families.names.empty()) families.names = unsupported;
  return families;
}

}  // namespace

std::vector<PlannedRow> PlanRows(const MeasurementResult& result) {
  std::vector<PlannedRow> rows;
  for (size_t i = 0; i < result.requested_events.size(); ++i) {
    const Families families = FamiliesOf(result, static_cast<int>(i));
    PlannedRow row;
    row.requested_index = static_cast<int>(i);
    row.label = result.requested_events[i];
    if (!families.hybrid) {
      if (families.names.size() == 1) row.family = families.names[0];
      rows.push_back(row);
      continue;
    }
    for (const std::string& family : families.names) {
      row.label = absl::StrCat(result.requested_events[i], " [", family, "]");
      row.family = family;
      row.one_family = true;
      rows.push_back(row);
    }
    row.label =
        absl::StrCat(result.requested_events[i], " (sum of ", families.names.size(), " PMUs)");
    row.family.clear();
    row.one_family = false;
    row.is_sum = true;
    rows.push_back(row);
  }
  return rows;
}

RowEvents SelectEvents(const PlannedRow& row, const HostResult& host) {
  RowEvents all;
  RowEvents of_family;
  for (const EventResult& event : host.events) {
    if (!IsFor(event, row.requested_index)) continue;
    all.events.push_back(&event);
    if (event.event.pmu_family() == row.family) of_family.events.push_back(&event);
    all.elsewhere |= event.event.supported();
  }
  if (!row.one_family) {
    all.elsewhere = false;
    return all;
  }
  if (!of_family.events.empty()) return of_family;
  // Nothing of this family: either counted elsewhere, or not at all, and then
  // the host's reason stands in every row of the event.
  if (all.elsewhere) return RowEvents{{}, true};
  return all;
}

}  // namespace pmu::client
