// pmuctl sessions: who measures on hosts.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/answers.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/host_options.h"
#include "client/cli/output.h"
#include "client/cli/sessions_report.h"

namespace pmu::cli {
namespace {

constexpr size_t kDefaultWidth = 100;

struct SessionsOptions {
  HostOptions hosts;
  std::string client_id;
  bool all = false;
  bool json = false;
  bool help = false;
};

OptionTable Table(SessionsOptions* options) {
  OptionTable table;
  options->hosts.AddTo(&table);
  table.AddString(0, "client-id", "NAME", "only sessions of this client", &options->client_id);
  table.AddFlag('a', "all", "also sessions that ended in the last minute", &options->all);
  table.AddFlag('j', "json", "print JSON", &options->json);
  table.AddFlag('h', "help", "this text", &options->help);
  return table;
}

std::string Help() {
  SessionsOptions options;
  return absl::StrCat(
      "usage: pmuctl sessions --hosts LIST [OPTIONS]\n"
      "\n"
      "Asks agents for their sessions: who measures what there, since when.\n"
      "\n"
      "Options:\n",
      Table(&options).Help(), "\n", kHostListHelp,
      "\n"
      "Exit status: 0 all hosts answered, 122 some did not, 123 none did,\n"
      "125 pmuctl could not do what was asked.\n"
      "\n"
      "Examples:\n"
      "  pmuctl sessions --hosts node[01-16]\n"
      "  pmuctl sessions --hosts node[01-16] --client-id nightly -j\n");
}

void DropEnded(std::vector<client::SessionListing>* listings) {
  for (client::SessionListing& listing : *listings) {
    auto& sessions = listing.sessions;
    sessions.erase(std::remove_if(sessions.begin(), sessions.end(),
                                  [](const pmu::v1::Session& session) {
                                    return session.state() != pmu::v1::SESSION_STATE_ARMED &&
                                           session.state() != pmu::v1::SESSION_STATE_RUNNING;
                                  }),
                   sessions.end());
  }
}

}  // namespace

int SessionsCommand(const std::vector<std::string>& args, const Environment& environment) {
  SessionsOptions options;
  const absl::StatusOr<std::vector<std::string>> operands = Table(&options).Parse(args);
  if (options.help) {
    return WriteStream(environment.out, Help()).ok() ? kExitOk : kExitUsage;
  }
  if (!operands.ok() || !operands->empty()) {
    const std::string what = operands.ok()
                                 ? absl::StrCat("unexpected argument \"", operands->front(), "\"")
                                 : std::string(operands.status().message());
    PrintError(environment, absl::StrCat(what, "\nTry `pmuctl help sessions`."));
    return kExitUsage;
  }
  const auto hosts = ResolveHosts(options.hosts, environment);
  if (!hosts) return kExitUsage;
  std::vector<client::SessionListing> listings =
      environment.list_sessions(*hosts, options.client_id, options.hosts.Fleet());
  if (!options.all) DropEnded(&listings);
  const std::string text =
      options.json ? SessionsJson(listings)
                   : SessionsTable(listings, OutputWidth(environment.out, kDefaultWidth));
  return PrintAnswers(environment, text, listings);
}

}  // namespace pmu::cli
