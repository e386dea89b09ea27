#include "server/backends/perf_event/privileges.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/machine/machine_info.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

// capability.h of kernels before 5.8 has no CAP_PERFMON.
constexpr int kCapSysAdmin = 21;
constexpr int kCapPerfmon = 38;

}  // namespace

Privileges ReadPrivileges(absl::string_view root) {
  Privileges privileges;
  privileges.paranoid = ReadPerfEventParanoid(root);
  const std::string status =
      ReadSmallFile(RootedPath(root, "/proc/self/status")).value_or(std::string());
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    uint64_t number = 0;
    if (absl::ConsumePrefix(&line, "CapEff:") &&
        absl::SimpleHexAtoi(absl::StripAsciiWhitespace(line), &number)) {
      privileges.perfmon_capable = ((number >> kCapSysAdmin) & 1) || ((number >> kCapPerfmon) & 1);
    } else if (absl::ConsumePrefix(&line, "Seccomp:")) {
      privileges.seccomp_filtered = absl::StripAsciiWhitespace(line) == "2";
    }
  }
  return privileges;
}

std::string PermissionAdvice(const Privileges& privileges, int needed_level) {
  if (privileges.perfmon_capable) {
    return privileges.seccomp_filtered
               ? "the agent has the capability, but a seccomp filter is in force: allow "
                 "perf_event_open in the container's seccomp profile"
               : "the agent has the capability, but a security module or kernel lockdown refuses: "
                 "see the kernel log";
  }
  std::string advice;
  if (privileges.paranoid.has_value()) {
    absl::StrAppend(&advice, "kernel.perf_event_paranoid is ", *privileges.paranoid, " and ");
  }
  absl::StrAppend(&advice,
                  "the agent lacks CAP_PERFMON (before Linux 5.8: CAP_SYS_ADMIN): run it as root, "
                  "or 'setcap cap_perfmon+ep pmud'");
  if (privileges.paranoid.value_or(needed_level + 1) > needed_level) {
    absl::StrAppend(&advice, ", or 'sysctl kernel.perf_event_paranoid=", needed_level, "'");
  }
  if (privileges.seccomp_filtered) {
    absl::StrAppend(&advice, "; a seccomp filter is in force as well and may refuse by itself");
  }
  return advice;
}

}  // namespace pmu::server
