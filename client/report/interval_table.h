// interval_table.h: intervals as lines that are printed while they come.
//
//        time  event                       node01        node02         total
//     0.100 s  task-clock (ms)             200.01        200.00        400.01
//              page-faults                     12             7            19
//
// Where the hosts do not fit as columns, each line has the total, how many
// hosts are in it, and the hosts with the least and the most. Thread-compatible.
#ifndef PMU_CLIENT_REPORT_INTERVAL_TABLE_H_
#define PMU_CLIENT_REPORT_INTERVAL_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "client/aggregate.h"
#include "client/intervals.h"

namespace pmu::client {

class IntervalTable {
 public:
  // `hosts`: of the measurement, in order. `per_cpu`: lines of CPUs below every
  // row, not only below those that are never added.
  IntervalTable(std::vector<std::string> hosts, size_t width, bool per_cpu);

  // `report` is that of the interval's result, with its metrics. The first one
  // decides the widths of columns, which stay, and has titles above.
  std::string Lines(const Interval& interval, const Report& report);

 private:
  bool HasCpuLines(const Row& row) const { return per_cpu_ || !row.summable; }
  void ChooseWidths(const Report& report);
  std::string Line(const std::string& time, const std::string& label,
                   const std::vector<std::string>& cells) const;
  std::vector<std::string> RowCells(const Report& report, const Row& row) const;
  std::string CpuLines(const Report& report, const Row& row) const;
  std::vector<std::string> MetricCells(const Report& report, const MetricRow& row) const;

  const std::vector<std::string> hosts_;
  const size_t width_;
  const bool per_cpu_;
  size_t label_width_ = 0;
  bool hosts_fit_ = true;
  std::vector<std::string> titles_;
  std::vector<size_t> widths_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_INTERVAL_TABLE_H_
