#include "client/cli/exit_status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::cli {
namespace {

struct Meaning {
  const char* status;
  const char* meaning;
};

constexpr Meaning kMeanings[] = {
    {"0", "everything asked for was measured"},
    {"N", "the command's own status, when it failed"},
    {"122", "measured, but a host or a counter is missing; the output says which"},
    {"123",
     "not enough: fewer hosts than --min-hosts, no number at all, or\n"
     "         anything missing under --strict"},
    {"125", "pmuctl could not do what was asked: option, event, host list, file"},
    {"126", "the command cannot be executed"},
    {"127", "the command was not found"},
    {"128+N",
     "signal N ended the command, or pmuctl: 130 after Ctrl-C, with what\n"
     "         was measured until then printed"},
};

}  // namespace

void Outcome::MakeWorse(const Outcome& other) {
  if (command_status.value_or(0) == 0) command_status = other.command_status;
  if (interrupted_by == 0) interrupted_by = other.interrupted_by;
  enough = enough && other.enough;
  complete = complete && other.complete;
  strict = strict || other.strict;
}

int ExitStatusOf(const Outcome& outcome) {
  if (outcome.command_status.value_or(0) != 0) return *outcome.command_status;
  if (!outcome.enough || (outcome.strict && !outcome.complete)) return kExitNotEnough;
  if (outcome.interrupted_by != 0) return 128 + outcome.interrupted_by;
  return outcome.complete ? kExitOk : kExitIncomplete;
}

int ExitStatusOfAnswers(size_t answered_count, size_t host_count) {
  if (answered_count == 0) return kExitNotEnough;
  return answered_count == host_count ? kExitOk : kExitIncomplete;
}

std::string ExitStatusHelp() {
  std::string text = "Exit status:\n";
  for (const Meaning& line : kMeanings) {
    absl::StrAppend(&text, absl::StrFormat("  %-7s", line.status), line.meaning, "\n");
  }
  return text;
}

}  // namespace pmu::cli
