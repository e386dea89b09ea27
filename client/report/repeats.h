// repeats.h: the same measurement several times, as one result.
//
// Thread-compatible.
#ifndef PMU_CLIENT_REPORT_REPEATS_H_
#define PMU_CLIENT_REPORT_REPEATS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/aggregate.h"
#include "common/statistics.h"

namespace pmu::client {

// Values of one event or metric over the runs: of one host, or (host empty) of
// the total. Only runs in which it had a number.
struct RepeatedValue {
  std::string host;
  Statistics runs;
};

struct RepeatedRow {
  std::string label;  // of the event or the metric
  std::string unit;
  bool is_metric = false;
  std::vector<RepeatedValue> values;  // the total first, where there is one
};

class Repeats {
 public:
  // A finished run, with its metrics.
  void Add(Report report);

  const std::vector<Report>& reports() const { return reports_; }
  const std::vector<RepeatedRow>& rows() const { return rows_; }
  // Every run was complete.
  bool complete() const;

 private:
  RepeatedRow& RowFor(const std::string& label, const std::string& unit, bool is_metric);

  std::vector<Report> reports_;
  std::vector<RepeatedRow> rows_;
};

struct RepeatsOptions {
  int64_t wanted_runs = 0;
  int64_t warmup_runs = 0;
  bool interrupted = false;
  size_t width = 100;
  std::map<std::string, std::string> labels;
};

// A line for each total and host: mean, standard deviation, the 95% confidence
// interval of the mean, extremes.
std::string PrintRepeatsTable(const Repeats& repeats, const RepeatsOptions& options);

// See "pmu.repeat/1" in docs/output.md.
std::string PrintRepeatsJson(const Repeats& repeats, const RepeatsOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_REPEATS_H_
