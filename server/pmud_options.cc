#include "server/pmud_options.h"

#include "absl/strings/str_cat.h"
#include "common/options.h"
#include "common/text.h"
#include "server/state_dir.h"

namespace pmu::server {
namespace {

constexpr char kDefaultListen[] = "127.0.0.1:50051";

struct RawOptions {
  std::vector<std::string> listen;
  std::string log_level = "info";
  int64_t sampler_priority = -1;
  int64_t sampler_cpu = -1;
  PmudOptions options;
};

OptionTable TableFor(RawOptions* raw) {
  PmudOptions* options = &raw->options;
  OptionTable table;
  table.AddStrings('l', "listen", "ADDR",
                   absl::StrCat("listen on HOST:PORT, [IPV6]:PORT or unix:PATH; may be given "
                                "several times; port 0 takes a free one (default ",
                                kDefaultListen, ")"),
                   &raw->listen);
  table.AddFlag(0, "insecure",
                "allow addresses that other machines can reach, though nothing is encrypted or "
                "authenticated: for trusted networks only",
                &options->insecure);
  table.AddString(0, "state-dir", "DIR",
                  "keep the agent's own files here, one directory for each agent of a machine "
                  "(default /var/lib/pmud; not as root: $XDG_STATE_HOME/pmud)",
                  &options->state_dir);
  table.AddString(0, "port-file", "FILE",
                  "write the port of the first TCP address here as soon as the agent serves",
                  &options->port_file);
  table.AddString(0, "sysfs-root", "DIR",
                  "take /sys and /proc from below DIR: recorded machines, tests",
                  &options->sysfs_root);
  table.AddStrings(
      0, "simulate", "MODEL[:KEY=VALUE,...]",
      "pretend to have hardware: cci400-r0, cci400-r1, p5, p6, arch-perfmon, amd, "
      "aperf-mperf, smi; may be given several times: one machine with at most one CCI-400 "
      "and one of p5, p6, arch-perfmon, amd",
      &options->registers.simulate);
  table.AddString(0, "cci400", "PLACE",
                  "registers of the CCI-400: auto (device tree, /dev/mem), /dev/uioN, or "
                  "/dev/mem:base=ADDRESS (default auto)",
                  &options->registers.cci400);
  table.AddStrings(0, "cci400-interface", "IF=NAME",
                   "what is behind an interface of the CCI-400, as in \"S3=A53 cluster\"",
                   &options->registers.cci400_interfaces);
  table.AddFlag(0, "cci400-take-over", "use the CCI-400's counters though they already count",
                &options->registers.cci400_take_over);
  table.AddFlag(0, "take-counters",
                "let x86_pmc drive the CPUs' counters though the kernel's PMU driver, the NMI "
                "watchdog or another program holds them",
                &options->registers.take_counters);
  table.AddInt(0, "sampler-priority", "N",
               "real-time priority of the thread that takes interval samples; 0: none (default: 1 "
               "where it is allowed)",
               0, 99, &raw->sampler_priority);
  table.AddInt(0, "sampler-cpu", "CPU", "keep that thread on this CPU (default: any)", 0, 65535,
               &raw->sampler_cpu);
  table.AddString(0, "log-level", "LEVEL", "debug, info, warning or error (default info)",
                  &raw->log_level);
  table.AddFlag('h', "help", "print this help", &options->help);
  table.AddFlag(0, "version", "print the version", &options->version);
  return table;
}

}  // namespace

absl::StatusOr<PmudOptions> ParsePmudOptions(const std::vector<std::string>& args) {
  RawOptions raw;
  const absl::StatusOr<std::vector<std::string>> operands = TableFor(&raw).Parse(args);
  if (!operands.ok()) return operands.status();
  if (!operands->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("unexpected argument ", Quote(operands->front()),
                                                   "; pmud takes only options"));
  }
  const absl::StatusOr<LogLevel> level = ParseLogLevel(raw.log_level);
  if (!level.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--log-level: ", level.status().message()));
  }
  raw.options.log_level = *level;
  if (raw.sampler_priority >= 0)
    raw.options.sampler_rank.priority = static_cast<int>(raw.sampler_priority);
  if (raw.sampler_cpu >= 0) raw.options.sampler_rank.cpu = static_cast<int>(raw.sampler_cpu);
  if (raw.listen.empty()) raw.listen.push_back(kDefaultListen);
  for (const std::string& text : raw.listen) {
    absl::StatusOr<ListenAddress> address = ParseListenAddress(text);
    if (!address.ok()) return address.status();
    raw.options.listen.push_back(*std::move(address));
  }
  if (raw.options.state_dir.empty()) raw.options.state_dir = DefaultStateDir();
  return raw.options;
}

std::string PmudHelp() {
  RawOptions raw;
  return absl::StrCat(
      "Usage: pmud [OPTION]...\n"
      "\n"
      "The agent of pmu: counts hardware and kernel events on this machine for\n"
      "remote controllers (see pmuctl --help).\n"
      "\n",
      TableFor(&raw).Help(),
      "\n"
      "Signals: SIGTERM and SIGINT end all sessions and the agent, with status 0; a\n"
      "second one ends it at once. SIGHUP is ignored.\n"
      "\n"
      "Examples:\n"
      "  pmud                                       for clients on this machine\n"
      "  pmud --listen=0.0.0.0:50051 --insecure     for a trusted network\n"
      "  pmud --listen=unix:/run/pmud/pmud.sock     access by file permissions\n"
      "  pmud --listen=127.0.0.1:0 --port-file=p --state-dir=d   a second agent\n");
}

}  // namespace pmu::server
