// commands.h: the subcommands of pmuctl.
//
// Each takes the arguments after its name and returns an exit status
// (exit_status.h). Messages and results go to `environment`.
// Thread-hostile: they parse options and handle signals; call from main only.
#ifndef PMU_CLIENT_CLI_COMMANDS_H_
#define PMU_CLIENT_CLI_COMMANDS_H_

#include <string>
#include <vector>

#include "client/cli/environment.h"

namespace pmu::cli {

int RunCommand(const std::vector<std::string>& args, const Environment& environment);
int ListCommand(const std::vector<std::string>& args, const Environment& environment);
int HostsCommand(const std::vector<std::string>& args, const Environment& environment);
int SessionsCommand(const std::vector<std::string>& args, const Environment& environment);

// pmuctl as a whole: finds the subcommand, or answers help, --help, --version.
int PmuctlMain(const std::vector<std::string>& args, const Environment& environment);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_COMMANDS_H_
