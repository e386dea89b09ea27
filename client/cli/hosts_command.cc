// pmuctl hosts: who is there.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/answers.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/host_options.h"
#include "client/cli/hosts_report.h"
#include "client/cli/output.h"

namespace pmu::cli {
namespace {

constexpr size_t kDefaultWidth = 100;

struct HostsOptions {
  HostOptions hosts;
  bool json = false;
  bool help = false;
};

OptionTable Table(HostsOptions* options) {
  OptionTable table;
  options->hosts.AddTo(&table);
  table.AddFlag('j', "json", "print JSON", &options->json);
  table.AddFlag('h', "help", "this text", &options->help);
  return table;
}

std::string Help() {
  HostsOptions options;
  return absl::StrCat(
      "usage: pmuctl hosts --hosts LIST [OPTIONS]\n"
      "\n"
      "Asks agents who they are: version, kernel, CPUs, what they can count with, and\n"
      "how far their monotonic clock is from this machine's. The offset is known\n"
      "within the bound after +-, half of the fastest round trip.\n"
      "\n"
      "Options:\n",
      Table(&options).Help(), "\n", kHostListHelp,
      "\n"
      "Exit status: 0 all hosts answered, 122 some did not, 123 none did,\n"
      "125 pmuctl could not do what was asked.\n"
      "\n"
      "Examples:\n"
      "  pmuctl hosts --hosts 127.0.0.1\n"
      "  pmuctl hosts --hosts node[01-16],@others.txt --timeout 1s\n"
      "  pmuctl hosts --hosts a,b -j\n");
}

}  // namespace

int HostsCommand(const std::vector<std::string>& args, const Environment& environment) {
  HostsOptions options;
  const absl::StatusOr<std::vector<std::string>> operands = Table(&options).Parse(args);
  if (options.help) {
    return WriteStream(environment.out, Help()).ok() ? kExitOk : kExitUsage;
  }
  if (!operands.ok()) {
    PrintError(environment, absl::StrCat(absl::string_view(operands.status().message()),
                                         "\nTry `pmuctl help hosts`."));
    return kExitUsage;
  }
  if (!operands->empty()) {
    if (!options.hosts.list.empty()) absl::StrAppend(&options.hosts.list, ",");
    absl::StrAppend(&options.hosts.list, absl::StrJoin(*operands, ","));
  }
  const auto hosts = ResolveHosts(options.hosts, environment);
  if (!hosts) return kExitUsage;
  const std::vector<client::HostAnswer> answers =
      environment.query_hosts(*hosts, options.hosts.Fleet());
  const std::string text = options.json
                               ? HostsJson(answers)
                               : HostsTable(answers, OutputWidth(environment.out, kDefaultWidth));
  return PrintAnswers(environment, text, answers);
}

}  // namespace pmu::cli
