#include "client/aggregate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/counter_sum.h"
#include "client/row_plan.h"
#include "common/cpu_list.h"

namespace pmu::client {
namespace {

// A cell, and whether its host could have had a number there.
struct BuiltCell {
  HostCell cell;
  bool expected = true;
  bool has_all = false;
  bool summable = true;
  std::string unit;
  double scale = 1;
  bool described = false;  // unit and scale come from an event
  bool simulated = false;
};

bool IsSummable(const pmu::v1::ResolvedEvent& event) {
  if (event.combine() == pmu::v1::COMBINE_RULE_UNSPECIFIED) {
    return event.kind() != pmu::v1::COUNTER_KIND_GAUGE;
  }
  return event.combine() == pmu::v1::COMBINE_RULE_SUM;
}

// A counter that had nothing to count, in a measurement where that is no loss:
// a CPU where the task never was. "" otherwise.
std::string IdleReason(const pmu::v1::ResolvedEvent& event, const CounterReading& reading,
                       bool follows_task) {
  if (reading.reading.state != ReadingState::kNotCounted || !reading.error.empty() ||
      !event.supported()) {
    return "";
  }
  if (event.placement_bound() && reading.reading.running_ns == 0) {
    return absl::StrCat("never ran on a CPU of ", event.pmu());
  }
  if (follows_task && reading.reading.enabled_ns == 0) return "what was measured never ran";
  return "";
}

void AddWarning(std::string text, HostCell* cell) {
  std::vector<std::string>& warnings = cell->warnings;
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
    warnings.push_back(std::move(text));
  }
}

void CollectWarnings(const std::vector<const EventResult*>& events, HostCell* cell) {
  std::map<std::string, CpuList> cpus_by_error;
  for (const EventResult* event : events) {
    for (const std::string& warning : event->event.warnings()) AddWarning(warning, cell);
    if (event->event.supported() && !HasUsableScale(event->event)) {
      AddWarning("agent sent an unusable scale: counts are raw", cell);
    }
    // Of an event that is not supported, the cell's reason says it all.
    if (!event->event.supported()) continue;
    for (const CounterReading& reading : event->readings) {
      if (!reading.error.empty()) cpus_by_error[reading.error].push_back(reading.cpu);
    }
  }
  for (auto& [error, cpus] : cpus_by_error) {
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    if (cpus.front() < 0) cpus.erase(cpus.begin());
    AddWarning(cpus.empty() ? error : absl::StrCat("CPU ", FormatCpuList(cpus), ": ", error), cell);
  }
}

// The state stays: the parts were counted, only their sum means nothing.
Value WithoutNumber(Value value, const char* reason) {
  value.count.reset();
  value.value.reset();
  value.rate_per_s.reset();
  value.reason = reason;
  return value;
}

class CellBuilder {
 public:
  CellBuilder(const HostResult& host, bool follows_task)
      : host_(host), follows_task_(follows_task), total_(host.measured_ns) {}

  void Add(const EventResult& event) {
    if (event.readings.empty()) {
      total_.AddMissing(
          event.event.supported() ? ReadingState::kNotCounted : ReadingState::kNotSupported,
          event.event.reason());
    }
    const bool summable = IsSummable(event.event);
    for (const CounterReading& reading : event.readings) {
      Part& part = PartFor(reading, summable);
      const std::string idle = IdleReason(event.event, reading, follows_task_);
      if (!idle.empty()) {
        part.sum.AddIdle(idle);
        total_.AddIdle(idle);
        continue;
      }
      part.sum.Add(event.event, reading);
      total_.Add(event.event, reading);
      AddRaw(reading.reading, &part.values);
    }
  }

  // `summable` of all the events.
  void Build(bool summable, HostCell* cell) const {
    for (const Part& part : parts_) {
      PerCpuValue values = part.values;
      values.value = part.sum.Total();
      cell->cpus.push_back(std::move(values));
    }
    std::stable_sort(cell->cpus.begin(), cell->cpus.end(),
                     [](const PerCpuValue& a, const PerCpuValue& b) {
                       return std::make_pair(a.cpu, a.tid) < std::make_pair(b.cpu, b.tid);
                     });
    cell->total = total_.Total();
    if (summable || total_.expected() == 1) return;
    if (cell->total.contributing > 0) {
      cell->total = WithoutNumber(cell->total, "never added: see each CPU");
    }
  }

  bool only_idle() const { return total_.expected() == 0 && !total_.idle_reason().empty(); }

 private:
  struct Part {
    PerCpuValue values;
    CounterSum sum;
  };

  // Instances of one PMU on one CPU are one part, unless they may not be added.
  Part& PartFor(const CounterReading& reading, bool summable) {
    const auto key = std::make_pair(reading.cpu, reading.tid);
    auto found = part_index_.find(key);
    if (summable && found != part_index_.end()) return parts_[found->second];
    part_index_[key] = parts_.size();
    PerCpuValue values;
    values.cpu = reading.cpu;
    values.tid = reading.tid;
    parts_.push_back(Part{std::move(values), CounterSum(host_.measured_ns)});
    return parts_.back();
  }

  static void AddRaw(const RawReading& reading, PerCpuValue* values) {
    values->raw_count += reading.raw_count;
    values->enabled_ns += reading.enabled_ns;
    values->running_ns += reading.running_ns;
    // Instances on one CPU saw the same cycles.
    values->tsc_cycles = std::max(values->tsc_cycles, reading.tsc_cycles);
  }

  const HostResult& host_;
  const bool follows_task_;
  CounterSum total_;
  std::vector<Part> parts_;
  std::map<std::pair<int, int>, size_t> part_index_;
};

void DescribeCell(const std::vector<const EventResult*>& events, BuiltCell* built) {
  for (const EventResult* event : events) {
    built->summable &= !event->event.supported() || IsSummable(event->event);
    built->simulated |= event->event.simulated();
    if (built->described || !event->event.supported()) continue;
    built->described = true;
    built->unit = UsableUnit(event->event);
    built->scale = UsableScale(event->event);
  }
}

BuiltCell BuildCell(const PlannedRow& plan, const MeasurementResult& result, int host_index) {
  const HostResult& host = result.hosts[host_index];
  BuiltCell built;
  built.cell.host = host_index;
  const RowEvents selected = SelectEvents(plan, host);
  DescribeCell(selected.events, &built);
  if (!host.status.ok()) {
    built.cell.total.reason = std::string(host.status.message());
    return built;
  }
  if (selected.events.empty()) {
    built.expected = !selected.elsewhere;
    built.cell.total.state = ReadingState::kNotSupported;
    built.cell.total.reason = selected.elsewhere
                                  ? absl::StrCat("this host has no PMU ", plan.family)
                                  : "the agent did not answer for this event";
    return built;
  }
  CellBuilder builder(host, result.follows_task);
  for (const EventResult* event : selected.events) builder.Add(*event);
  builder.Build(built.summable, &built.cell);
  CollectWarnings(selected.events, &built.cell);
  // On one kind of a hybrid machine's cores a task need not have been.
  built.expected = !(plan.one_family && builder.only_idle());
  const Value& total = built.cell.total;
  built.has_all = total.contributing > 0 && total.contributing == total.expected;
  return built;
}

// Adds the hosts' numbers. Each host's rate is by its own measured time.
class HostSum {
 public:
  void Add(const BuiltCell& built) {
    const Value& value = built.cell.total;
    total_.contributing += value.contributing;
    total_.expected += value.expected;
    if (!value.value.has_value()) {
      if (built.expected && !missing_.has_value()) missing_ = value;
      return;
    }
    if (first_ == nullptr) {
      first_ = &built;
      total_.state = value.state;
      total_.count = 0;
      total_.value = 0;
      total_.rate_per_s = 0;
    }
    same_unit_ &= built.unit == first_->unit;
    total_.state = WorseState(total_.state, value.state);
    if (total_.count.has_value() && value.count.has_value() && built.scale == first_->scale) {
      *total_.count += *value.count;
    } else {
      total_.count.reset();
    }
    *total_.value += *value.value;
    if (total_.rate_per_s.has_value() && value.rate_per_s.has_value()) {
      *total_.rate_per_s += *value.rate_per_s;
    } else {
      total_.rate_per_s.reset();
    }
    share_ += value.running_share * value.contributing;
    share_weight_ += value.contributing;
  }

  Value Total() const {
    Value total = total_;
    if (first_ == nullptr) {
      if (missing_.has_value()) {
        total.state = missing_->state;
        total.reason = missing_->reason;
      }
      return total;
    }
    total.running_share = share_ / share_weight_;
    if (total.count.has_value()) {
      total.value = static_cast<double>(*total.count) * first_->scale;
    }
    if (!same_unit_) return WithoutNumber(total, "hosts give different units: not added");
    if (!std::isfinite(*total.value)) return WithoutNumber(total, "sum is too large");
    return total;
  }

 private:
  Value total_;
  const BuiltCell* first_ = nullptr;  // with a number
  absl::optional<Value> missing_;     // the first without
  bool same_unit_ = true;
  double share_ = 0;
  int share_weight_ = 0;
};

void AddToSpread(const HostCell& cell, bool summable, Statistics* spread) {
  if (summable) {
    if (cell.total.value.has_value()) spread->Add(*cell.total.value);
    return;
  }
  for (const PerCpuValue& cpu : cell.cpus) {
    if (cpu.value.value.has_value()) spread->Add(*cpu.value.value);
  }
}

Row BuildRow(const PlannedRow& plan, const MeasurementResult& result, bool* complete) {
  Row row;
  row.requested_index = plan.requested_index;
  row.label = plan.label;
  row.pmu = plan.family;
  row.is_sum = plan.is_sum;
  std::vector<BuiltCell> cells;
  cells.reserve(result.hosts.size());
  bool described = false;
  for (size_t i = 0; i < result.hosts.size(); ++i) {
    cells.push_back(BuildCell(plan, result, static_cast<int>(i)));
    const BuiltCell& built = cells.back();
    row.summable &= built.summable;
    row.simulated |= built.simulated;
    if (built.described && !described) {
      described = true;
      row.unit = built.unit;
      row.scale = built.scale;
    }
  }
  HostSum sum;
  for (const BuiltCell& built : cells) {
    sum.Add(built);
    AddToSpread(built.cell, row.summable, &row.spread);
    const bool has_number = row.summable ? built.cell.total.value.has_value() : built.has_all;
    row.expected_hosts += built.expected;
    row.contributing_hosts += built.expected && has_number;
    // A CPU that was lost may have had more to count once it was back.
    const bool lost = built.cell.total.state == ReadingState::kCpuLost;
    if (built.expected && (lost || !(has_number && built.has_all))) *complete = false;
  }
  row.total = sum.Total();
  if (!row.summable) {
    row.total = WithoutNumber(row.total, "never added: see each host and CPU");
  }
  for (BuiltCell& built : cells) row.cells.push_back(std::move(built.cell));
  return row;
}

}  // namespace

Report Aggregate(MeasurementResult result) {
  Report report;
  report.complete = std::all_of(result.hosts.begin(), result.hosts.end(),
                                [](const HostResult& host) { return host.status.ok(); });
  for (const PlannedRow& plan : PlanRows(result)) {
    report.rows.push_back(BuildRow(plan, result, &report.complete));
  }
  report.result = std::move(result);
  return report;
}

}  // namespace pmu::client
