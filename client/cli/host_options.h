// host_options.h: the options about hosts that all subcommands share.
//
// Thread-compatible.
#ifndef PMU_CLIENT_CLI_HOST_OPTIONS_H_
#define PMU_CLIENT_CLI_HOST_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/cli/environment.h"
#include "client/fleet.h"
#include "common/options.h"

namespace pmu::cli {

struct HostOptions {
  std::string list;
  absl::Duration timeout = absl::Seconds(5);
  bool use_proxy = false;

  void AddTo(OptionTable* table);
  client::FleetOptions Fleet() const;
};

// The hosts of --hosts, or else of PMU_HOSTS in the environment. Says what is
// wrong with the list and returns nullopt; hosts given twice are warned about.
absl::optional<std::vector<std::string>> ResolveHosts(const HostOptions& options,
                                                      const Environment& environment);

// For --help: how host lists are written.
extern const char kHostListHelp[];

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_HOST_OPTIONS_H_
