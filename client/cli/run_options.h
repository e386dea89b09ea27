// run_options.h: the command line of `pmuctl run`.
//
// Thread-compatible.
#ifndef PMU_CLIENT_CLI_RUN_OPTIONS_H_
#define PMU_CLIENT_CLI_RUN_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/host_options.h"
#include "client/measurement.h"
#include "client/metrics.h"

namespace pmu::cli {

enum class Format { kTable, kJson, kCsv };

struct RunOptions {
  HostOptions hosts;
  std::vector<std::string> events;
  std::vector<client::Metric> metrics;
  bool list_metrics = false;  // -M list
  bool smi_cost = false;
  bool metrics_only = false;
  bool multiplex = false;
  int64_t cycle_limit = 0;                         // 0: not given
  absl::Duration duration = absl::ZeroDuration();  // zero: not given
  absl::Duration interval = absl::ZeroDuration();  // zero: none
  int64_t interval_count = 0;                      // 0: not given
  int64_t repeat = 0;                              // 0: not given
  int64_t warmup = 0;
  std::string pre;
  std::string post;
  std::string client_id;
  std::string cpus;
  int64_t pid = 0;
  std::string cgroup;
  bool per_cpu = false;
  bool dry_run = false;
  Format format = Format::kTable;
  char separator = ',';
  std::string output;
  int64_t min_hosts = 1;
  bool strict = false;
  bool quiet = false;
  bool help = false;
  std::map<std::string, std::string> labels;
  std::vector<std::string> command;

  // All of -e, and what the metrics need beside them, joined by commas.
  std::string EventText() const;
};

// INVALID_ARGUMENT: one line naming the option. Host list and events are
// parsed later, by those who can point into them.
absl::StatusOr<RunOptions> ParseRunOptions(const std::vector<std::string>& args);

std::string RunHelp();

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_RUN_OPTIONS_H_
