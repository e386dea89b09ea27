// table_columns.h: the result table with a column for each host.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_TABLE_COLUMNS_H_
#define PMU_CLIENT_REPORT_TABLE_COLUMNS_H_

#include <string>

#include "absl/types/optional.h"
#include "client/report/table.h"

namespace pmu::client {

// nullopt when it would be wider than `options.width`, unless there is one
// host only.
absl::optional<std::string> TableInColumns(const Report& report, const TableOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_TABLE_COLUMNS_H_
