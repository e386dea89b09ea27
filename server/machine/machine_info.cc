#include "server/machine/machine_info.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/machine/cpu_topology.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

// Implementer and part numbers of MIDR_EL1 (Arm's technical reference manuals
// of the cores named).
struct ArmPart {
  absl::string_view implementer;
  absl::string_view part;
  absl::string_view name;
};
constexpr ArmPart kArmParts[] = {
    {"0x41", "0xc07", "Cortex-A7"},   {"0x41", "0xc09", "Cortex-A9"},
    {"0x41", "0xc0f", "Cortex-A15"},  {"0x41", "0xd03", "Cortex-A53"},
    {"0x41", "0xd04", "Cortex-A35"},  {"0x41", "0xd05", "Cortex-A55"},
    {"0x41", "0xd07", "Cortex-A57"},  {"0x41", "0xd08", "Cortex-A72"},
    {"0x41", "0xd09", "Cortex-A73"},  {"0x41", "0xd0a", "Cortex-A75"},
    {"0x41", "0xd0b", "Cortex-A76"},  {"0x41", "0xd0c", "Neoverse-N1"},
    {"0x41", "0xd0d", "Cortex-A77"},  {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd41", "Cortex-A78"},  {"0x41", "0xd49", "Neoverse-N2"},
    {"0x41", "0xd4f", "Neoverse-V2"},
};

std::string ArmCoreName(absl::string_view implementer, absl::string_view part) {
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  }
  return absl::StrCat("implementer ", implementer, " part ", part);
}

std::string TrimmedOrEmpty(absl::string_view root, absl::string_view path) {
  return ReadTrimmedFile(RootedPath(root, path)).value_or("");
}

void AppendIfNew(std::string text, std::vector<std::string>& list) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

void FillUname(absl::string_view root, MachineInfo& info) {
  utsname name = {};
  if (uname(&name) == 0) {
    info.machine = name.machine;
    if (root.empty()) {
      info.os = name.sysname;
      info.kernel_release = name.release;
    }
  }
  if (!root.empty()) {
    info.os = TrimmedOrEmpty(root, "/proc/sys/kernel/ostype");
    info.kernel_release = TrimmedOrEmpty(root, "/proc/sys/kernel/osrelease");
  }
  char hostname[256] = {};
  if (gethostname(hostname, sizeof(hostname) - 1) == 0) info.hostname = hostname;
}

}  // namespace

std::string CpuModelOf(absl::string_view cpuinfo) {
  std::vector<std::string> arm_cores;
  absl::string_view implementer;
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(field.first);
    const absl::string_view text = absl::StripAsciiWhitespace(field.second);
    if (text.empty()) continue;
    // x86 and some others; POWER; RISC-V.
    if (key == "model name" || key == "cpu" || key == "uarch") return std::string(text);
    if (key == "CPU implementer") implementer = text;
    if (key == "CPU part") AppendIfNew(ArmCoreName(implementer, text), arm_cores);
  }
  return absl::StrJoin(arm_cores, " + ");
}

absl::optional<int> ReadPerfEventParanoid(absl::string_view root) {
  const absl::StatusOr<std::string> text =
      ReadTrimmedFile(RootedPath(root, "/proc/sys/kernel/perf_event_paranoid"));
  int level = 0;
  if (!text.ok() || !absl::SimpleAtoi(*text, &level)) return absl::nullopt;
  return level;
}

MachineInfo ReadMachineInfo(absl::string_view root) {
  MachineInfo info;
  FillUname(root, info);
  info.boot_id = TrimmedOrEmpty(root, "/proc/sys/kernel/random/boot_id");
  info.cpu_model = CpuModelOf(ReadSmallFile(RootedPath(root, "/proc/cpuinfo")).value_or(""));
  info.online_cpus = ReadOnlineCpus(root).value_or(CpuList());
  info.possible_cpus = ReadPossibleCpus(root).value_or(CpuList());
  info.package_count = CountPackages(ReadPackageIds(root, info.online_cpus));
  info.perf_event_paranoid = ReadPerfEventParanoid(root);
  return info;
}

}  // namespace pmu::server
