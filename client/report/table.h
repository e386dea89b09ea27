// table.h: the result of a measurement as a table for people.
//
// Few hosts are columns. When they do not fit, each event is a block: totals,
// spread, and the hosts that stand out. 200 hosts stay readable.
// Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_TABLE_H_
#define PMU_CLIENT_REPORT_TABLE_H_

#include <cstddef>
#include <string>

#include "client/aggregate.h"

namespace pmu::client {

struct TableOptions {
  size_t width = 100;         // columns of the terminal
  bool per_cpu = false;       // a line for each CPU below each event
  bool metrics_only = false;  // leave the events out
};

std::string PrintTable(const Report& report, const TableOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_TABLE_H_
