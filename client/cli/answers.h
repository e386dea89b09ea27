// answers.h: how a subcommand that asks hosts something ends.
#ifndef PMU_CLIENT_CLI_ANSWERS_H_
#define PMU_CLIENT_CLI_ANSWERS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/cli/environment.h"
#include "client/cli/exit_status.h"
#include "client/cli/output.h"

namespace pmu::cli {

// Prints `text`, and tells by the exit status how many of `answers`, one per
// host and each with a `status`, are answers.
template <class Answer>
int PrintAnswers(const Environment& environment, const std::string& text,
                 const std::vector<Answer>& answers) {
  if (absl::Status written = WriteStream(environment.out, text); !written.ok()) {
    PrintError(environment, absl::string_view(written.message()));
    return kExitUsage;
  }
  const size_t answered_count = std::count_if(answers.begin(), answers.end(),
                                              [](const Answer& one) { return one.status.ok(); });
  return ExitStatusOfAnswers(answered_count, answers.size());
}

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_ANSWERS_H_
