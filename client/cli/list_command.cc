// pmuctl list: what hosts can count.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/host_options.h"
#include "client/cli/list_report.h"
#include "client/cli/output.h"
#include "client/report/footer.h"

namespace pmu::cli {
namespace {

constexpr size_t kDefaultWidth = 100;

struct ListOptions {
  HostOptions hosts;
  bool available_only = false;
  bool json = false;
  bool help = false;
};

OptionTable Table(ListOptions* options) {
  OptionTable table;
  options->hosts.AddTo(&table);
  table.AddFlag('a', "available", "only counters that can be used now", &options->available_only);
  table.AddFlag('j', "json", "print JSON", &options->json);
  table.AddFlag('h', "help", "this text", &options->help);
  return table;
}

std::string Help() {
  ListOptions options;
  return absl::StrCat(
      "usage: pmuctl list --hosts LIST [OPTIONS] [PATTERN]\n"
      "\n"
      "Lists the counters of hosts: name, unit, kind, scope, and whether they can be\n"
      "used now or why not. PATTERN keeps those whose name or description holds it;\n"
      "with * or ? it is a pattern for the whole name. What is the same on all hosts\n"
      "is listed once.\n"
      "\n"
      "Options:\n",
      Table(&options).Help(), "\n", kHostListHelp,
      "\n"
      "Exit status: 0 all hosts answered, 122 some did not, 123 none did,\n"
      "125 pmuctl could not do what was asked.\n"
      "\n"
      "Examples:\n"
      "  pmuctl list --hosts 127.0.0.1\n"
      "  pmuctl list --hosts node[01-16] cache\n"
      "  pmuctl list --hosts a,b --available -j 'uncore*'\n");
}

void PrintFailures(const std::vector<client::CounterListing>& listings,
                   const Environment& environment, size_t width) {
  std::vector<client::FailedHost> failed;
  for (const client::CounterListing& listing : listings) {
    if (!listing.status.ok()) failed.push_back({listing.host, listing.status});
  }
  if (failed.empty()) return;
  std::string text = client::FailedHostsText(failed, width);
  text.pop_back();
  PrintError(environment, absl::StrCat(listings.size() - failed.size(), " of ", listings.size(),
                                       " hosts answered; failed:\n", text));
}

}  // namespace

int ListCommand(const std::vector<std::string>& args, const Environment& environment) {
  ListOptions options;
  const absl::StatusOr<std::vector<std::string>> operands = Table(&options).Parse(args);
  if (options.help) {
    return WriteStream(environment.out, Help()).ok() ? kExitOk : kExitUsage;
  }
  if (!operands.ok() || operands->size() > 1) {
    PrintError(environment, absl::StrCat(operands.ok() ? "one PATTERN at most; options come first"
                                                       : operands.status().message(),
                                         "\nTry `pmuctl help list`."));
    return kExitUsage;
  }
  const auto hosts = ResolveHosts(options.hosts, environment);
  if (!hosts) return kExitUsage;
  const std::string pattern = operands->empty() ? "" : operands->front();
  const std::vector<client::CounterListing> listings =
      environment.list_counters(*hosts, pattern, options.available_only, options.hosts.Fleet());

  const size_t width = OutputWidth(environment.out, kDefaultWidth);
  absl::optional<size_t> cut;
  if (isatty(fileno(environment.out)) == 1) cut = width;
  const std::string text = options.json ? ListJson(listings) : ListTable(listings, cut);
  if (absl::Status written = WriteStream(environment.out, text); !written.ok()) {
    PrintError(environment, absl::string_view(written.message()));
    return kExitUsage;
  }
  PrintFailures(listings, environment, width);
  const size_t answered_count = std::count_if(listings.begin(), listings.end(),
                                              [](const auto& one) { return one.status.ok(); });
  if (text.empty() && answered_count > 0) {
    PrintError(environment, absl::StrCat("no counter matches \"", pattern, "\""));
  }
  return ExitStatusOfAnswers(answered_count, listings.size());
}

}  // namespace pmu::cli
