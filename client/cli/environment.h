// environment.h: what a subcommand reaches the world through.
//
// Tests put fakes here. Thread-compatible.
#ifndef PMU_CLIENT_CLI_ENVIRONMENT_H_
#define PMU_CLIENT_CLI_ENVIRONMENT_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/fleet.h"
#include "client/measurement.h"

namespace pmu::cli {

struct Environment {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  std::function<absl::StatusOr<std::unique_ptr<client::Measurement>>(client::MeasurementSpec,
                                                                     client::FleetOptions)>
      create_measurement;
  std::function<std::vector<client::HostAnswer>(const std::vector<std::string>&,
                                                const client::FleetOptions&)>
      query_hosts;
  std::function<std::vector<client::CounterListing>(
      const std::vector<std::string>&, const std::string&, bool, const client::FleetOptions&)>
      list_counters;
  std::function<std::vector<client::SessionListing>(
      const std::vector<std::string>&, const std::string&, const client::FleetOptions&)>
      list_sessions;
};

// The real one, over the network (system_environment.cc).
Environment SystemEnvironment();

// "pmuctl: MESSAGE", one line to `environment.err`.
void PrintError(const Environment& environment, absl::string_view message);
// The same, and when the message tells a position in `text`, the text with a
// caret below that position.
void PrintErrorIn(const Environment& environment, const absl::Status& status,
                  absl::string_view text);
// The two caret lines; "" when the message has no position in the text.
std::string CaretLines(absl::string_view message, absl::string_view text);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_ENVIRONMENT_H_
