#include "client/cli/host_options.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/descriptor_limit.h"
#include "common/host_list.h"

namespace pmu::cli {

const char kHostListHelp[] =
    "Host lists:\n"
    "  a,b                    two hosts; agents listen on port 50051 unless given\n"
    "  node[01-16,20]         a range, padding kept; several brackets multiply\n"
    "  host:50061  [::1]:50051  unix:/run/pmud.sock\n"
    "  @hosts.txt             a file with a list on each line; # starts a comment\n"
    "  Without --hosts, the environment variable PMU_HOSTS is used.\n";

void HostOptions::AddTo(OptionTable* table) {
  table->AddString('H', "hosts", "LIST", "agents to ask (see below)", &list);
  table->AddDuration(0, "timeout", "DURATION",
                     "how long to wait for a host, when connecting and for each answer; 5s unless "
                     "given",
                     &timeout);
  table->AddFlag(0, "use-proxy", "obey http_proxy and its kin; hosts are reached directly without",
                 &use_proxy);
}

client::FleetOptions HostOptions::Fleet() const {
  client::FleetOptions fleet;
  fleet.timeout = timeout;
  fleet.use_proxy = use_proxy;
  return fleet;
}

absl::optional<std::vector<std::string>> ResolveHosts(const HostOptions& options,
                                                      const Environment& environment) {
  const char* variable = std::getenv("PMU_HOSTS");
  std::string text = options.list;
  if (text.empty() && variable != nullptr) text = variable;
  if (text.empty()) {
    PrintError(environment,
               "no hosts: give --hosts LIST or set PMU_HOSTS, for example "
               "--hosts 127.0.0.1 (an agent on this machine)");
    return absl::nullopt;
  }
  absl::StatusOr<HostList> list = ParseHostList(text);
  if (!list.ok()) {
    PrintErrorIn(environment, list.status(), text);
    return absl::nullopt;
  }
  for (const std::string& host : list->hosts) {
    const absl::StatusOr<std::string> target = HostTarget(host);
    if (target.ok()) continue;
    PrintError(environment, target.status().message());
    return absl::nullopt;
  }
  if (list->hosts.empty()) {
    PrintError(environment, absl::StrCat("host list \"", text, "\" names no host"));
    return absl::nullopt;
  }
  if (absl::Status allowed = AllowConnections(list->hosts.size()); !allowed.ok()) {
    PrintError(environment, absl::string_view(allowed.message()));
    return absl::nullopt;
  }
  if (!list->duplicates.empty()) {
    PrintError(environment, absl::StrCat("warning: asked once only though named several times: ",
                                         FoldHostList(list->duplicates)));
  }
  return std::move(list->hosts);
}

}  // namespace pmu::cli
