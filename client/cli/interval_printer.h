// interval_printer.h: what `pmuctl run -I` prints while it runs.
//
// Thread-compatible: used from the thread that drives the measurement.
#ifndef PMU_CLIENT_CLI_INTERVAL_PRINTER_H_
#define PMU_CLIENT_CLI_INTERVAL_PRINTER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/run_options.h"
#include "client/intervals.h"
#include "client/report/interval_table.h"

namespace pmu::cli {

class IntervalPrinter {
 public:
  using Write = std::function<absl::Status(const std::string& text)>;

  // `options` must outlive it. `write` takes whole lines; after its first error
  // it is not called any more.
  IntervalPrinter(const RunOptions& options, const std::vector<std::string>& hosts, size_t width,
                  Write write);

  void Print(const client::Interval& interval);

  bool begun() const { return !first_; }
  // The first error of `write`.
  const absl::Status& status() const { return status_; }

 private:
  std::string Text(const client::Interval& interval);

  const RunOptions& options_;
  client::IntervalTable table_;
  const Write write_;
  bool first_ = true;
  absl::Status status_;
};

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_INTERVAL_PRINTER_H_
