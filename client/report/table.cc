#include "client/report/table.h"

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "client/report/footer.h"
#include "client/report/metric_table.h"
#include "client/report/table_columns.h"
#include "client/report/table_summary.h"

namespace pmu::client {

std::string PrintTable(const Report& report, const TableOptions& options) {
  std::string body;
  if (!report.rows.empty() && !options.metrics_only) {
    absl::optional<std::string> columns = TableInColumns(report, options);
    body = columns ? *columns : TableInBlocks(report, options);
    body += "\n";
  }
  if (std::string metrics = MetricTable(report, options); !metrics.empty()) {
    absl::StrAppend(&body, metrics, "\n");
  }
  return absl::StrCat(body, FooterText(report, options.width));
}

}  // namespace pmu::client
