// table_summary.h: the result table with a block for each event, for more
// hosts than fit as columns.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_TABLE_SUMMARY_H_
#define PMU_CLIENT_REPORT_TABLE_SUMMARY_H_

#include <string>

#include "client/report/table.h"

namespace pmu::client {

// Up to this many hosts each value is listed; beyond, those that stand out.
inline constexpr size_t kMaxListedHosts = 16;

std::string TableInBlocks(const Report& report, const TableOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_TABLE_SUMMARY_H_
