// machine_info.h: who this machine is, as GetHost tells it.
//
// Plain data gathered from /sys and /proc below a root, robust to anything
// missing: a field that cannot be read is empty and the rest is still filled.
//
// Safe to call from any thread; reads a dozen small files, so call it per
// request, not per sample.
#ifndef PMU_SERVER_MACHINE_MACHINE_INFO_H_
#define PMU_SERVER_MACHINE_MACHINE_INFO_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/cpu_list.h"

namespace pmu::server {

struct MachineInfo {
  std::string hostname;        // gethostname(2), of the live machine
  std::string boot_id;         // changes with every boot
  std::string os;              // "Linux"
  std::string kernel_release;  // "6.1.0-18-amd64"
  std::string machine;         // uname(2): "x86_64"
  std::string cpu_model;       // "Intel(R) Xeon(R) ..."; "Cortex-A53 + Cortex-A57"
  CpuList online_cpus;
  CpuList possible_cpus;
  int package_count = 0;  // 0: unknown
  absl::optional<int> perf_event_paranoid;
};

// What can be learnt below `root` ("": the live machine). Kernel release and
// OS of another root come from its /proc, when it has them.
MachineInfo ReadMachineInfo(absl::string_view root);

// The CPU's name in the text of a /proc/cpuinfo; "" when it tells none. On Arm
// there is only implementer and part of each core: the distinct ones in order,
// by their product name where known ("implementer 0x41 part 0xd99" if not).
std::string CpuModelOf(absl::string_view cpuinfo);

// ROOT/proc/sys/kernel/perf_event_paranoid; nullopt: no such file (a kernel
// without perf_event), or not a number.
absl::optional<int> ReadPerfEventParanoid(absl::string_view root);

}  // namespace pmu::server

#endif  // PMU_SERVER_MACHINE_MACHINE_INFO_H_
