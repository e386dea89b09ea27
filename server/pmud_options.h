// pmud_options.h: the command line of pmud.
#ifndef PMU_SERVER_PMUD_OPTIONS_H_
#define PMU_SERVER_PMUD_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/listen_address.h"
#include "server/log.h"
#include "server/register_hardware.h"
#include "server/thread_rank.h"

namespace pmu::server {

struct PmudOptions {
  std::vector<ListenAddress> listen;  // never empty
  bool insecure = false;
  std::string sysfs_root;
  std::string state_dir;
  std::string port_file;
  RegisterHardwareOptions registers;  // without root and state_dir
  LogLevel log_level = LogLevel::kInfo;
  ThreadRank sampler_rank;
  bool help = false;
  bool version = false;
};

// `args` without the program's name. INVALID_ARGUMENT: one line for people.
// Thread-hostile, like OptionTable.
absl::StatusOr<PmudOptions> ParsePmudOptions(const std::vector<std::string>& args);

// What --help prints.
std::string PmudHelp();

}  // namespace pmu::server

#endif  // PMU_SERVER_PMUD_OPTIONS_H_
