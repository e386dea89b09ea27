// Finds the subcommand, or helps to find it.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/output.h"
#include "common/version.h"

namespace pmu::cli {
namespace {

struct Subcommand {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& args, const Environment& environment);
};

constexpr Subcommand kSubcommands[] = {
    {"run", "measure events on many hosts over the same span of time", RunCommand},
    {"list", "what hosts can count", ListCommand},
    {"hosts", "who is there: version, kernel, counters, clock", HostsCommand},
    {"sessions", "who measures on hosts, and since when", SessionsCommand},
};

std::string Help() {
  std::string text =
      "usage: pmuctl SUBCOMMAND --hosts LIST [OPTIONS] ...\n"
      "\n"
      "Measures hardware and software counters of many machines at the same moment.\n"
      "An agent, pmud, runs on each of them.\n"
      "\n"
      "Subcommands:\n";
  for (const Subcommand& subcommand : kSubcommands) {
    absl::StrAppend(&text, absl::StrFormat("  %-10s", subcommand.name), subcommand.summary, "\n");
  }
  absl::StrAppend(&text,
                  "  help    pmuctl help SUBCOMMAND shows every option, with examples\n"
                  "\n"
                  "First steps, with an agent on this machine (start it with `pmud`):\n"
                  "  pmuctl hosts --hosts 127.0.0.1\n"
                  "  pmuctl list  --hosts 127.0.0.1 clock\n"
                  "  pmuctl run   --hosts 127.0.0.1 -e task-clock,page-faults --duration 2s\n"
                  "Then with many:\n"
                  "  pmuctl run   --hosts node[01-16] -e cycles,instructions -- ./drive-the-test\n"
                  "\n"
                  "pmuctl --version shows the version.\n");
  return text;
}

// Letters to insert, delete or change (Levenshtein) to come from a to b.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> previous(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<size_t> current = {i + 1};
    for (size_t j = 0; j < b.size(); ++j) {
      current.push_back(
          std::min({previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1}));
    }
    previous = std::move(current);
  }
  return previous.back();
}

const Subcommand* Find(absl::string_view name) {
  for (const Subcommand& subcommand : kSubcommands) {
    if (name == subcommand.name) return &subcommand;
  }
  return nullptr;
}

int Unknown(const std::string& name, const Environment& environment) {
  std::string message = absl::StrCat("there is no subcommand \"", name, "\"");
  for (const Subcommand& subcommand : kSubcommands) {
    if (EditDistance(name, subcommand.name) <= 2) {
      absl::StrAppend(&message, "; did you mean \"", subcommand.name, "\"?");
      break;
    }
  }
  PrintError(environment, absl::StrCat(message, "\nTry `pmuctl help`."));
  return kExitUsage;
}

int Answer(const std::string& text, const Environment& environment) {
  return WriteStream(environment.out, text).ok() ? kExitOk : kExitUsage;
}

}  // namespace

int PmuctlMain(const std::vector<std::string>& args, const Environment& environment) {
  if (args.empty()) {
    PrintError(environment, "which subcommand?");
    WriteStream(environment.err, Help()).IgnoreError();
    return kExitUsage;
  }
  const std::string& first = args[0];
  if (first == "--version") return Answer(absl::StrCat("pmuctl ", kVersion, "\n"), environment);
  const bool asks_help = first == "help" || first == "--help" || first == "-h";
  if (asks_help && args.size() == 1) return Answer(Help(), environment);
  const std::string& name = asks_help ? args[1] : first;
  const Subcommand* subcommand = Find(name);
  if (subcommand == nullptr) return Unknown(name, environment);
  if (asks_help) return subcommand->run({"--help"}, environment);
  return subcommand->run(std::vector<std::string>(args.begin() + 1, args.end()), environment);
}

}  // namespace pmu::cli
