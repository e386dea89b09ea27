#include "server/backends/perf_event/open_error.h"

#include <linux/perf_event.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

bool IsCoreEvent(const ResolvedEvent& event) {
  return event.encoding.type == PERF_TYPE_HARDWARE || event.encoding.type == PERF_TYPE_HW_CACHE ||
         event.encoding.type == PERF_TYPE_RAW;
}

std::string NotSupported(const OpenAttempt& attempt) {
  const ResolvedEvent& event = *attempt.event;
  if (IsCoreEvent(event) && !attempt.has_core_pmu) {
    return "not supported: this machine shows no hardware PMU (a virtual machine without one?)";
  }
  if (event.encoding.type == PERF_TYPE_SOFTWARE) {
    return "not supported: this kernel has no such software event";
  }
  return absl::StrCat(
      "not supported: ", event.pmu.empty() ? "this machine" : absl::StrCat("PMU '", event.pmu, "'"),
      " has no such event");
}

std::string NotPermitted(const OpenAttempt& attempt) {
  const EventEncoding& encoding = attempt.event->encoding;
  int needed_level = encoding.exclude_kernel ? 2 : 1;
  if (attempt.cpu >= 0) needed_level = 0;
  if (encoding.type == PERF_TYPE_TRACEPOINT) needed_level = -1;
  std::string advice = PermissionAdvice(attempt.privileges, needed_level);
  if (attempt.tid != 0 && !attempt.privileges.perfmon_capable) {
    absl::StrAppend(&advice, "; a process of another user needs one of the first two");
  }
  return advice;
}

std::string Refused(const OpenAttempt& attempt) {
  const EventEncoding& encoding = attempt.event->encoding;
  std::string message = absl::StrCat(
      "the kernel refuses type=", encoding.type, " config=0x", absl::Hex(encoding.config),
      " config1=0x", absl::Hex(encoding.config1), " config2=0x", absl::Hex(encoding.config2));
  const bool filtered = encoding.exclude_user || encoding.exclude_kernel || encoding.exclude_hv ||
                        encoding.exclude_host || encoding.exclude_guest;
  if (filtered) {
    absl::StrAppend(&message,
                    "; perhaps this PMU cannot tell user from kernel or guest from host: "
                    "try without the modifier");
  }
  if (attempt.tid != 0 && !attempt.event->pmu.empty()) {
    absl::StrAppend(&message, "; perhaps this PMU cannot follow a process: count system-wide");
  }
  return message;
}

}  // namespace

absl::Status OpenError(int error, const OpenAttempt& attempt) {
  std::string who = absl::StrCat("perf_event_open of '", attempt.event->text, "'");
  if (attempt.cpu >= 0) absl::StrAppend(&who, " on CPU ", attempt.cpu);
  if (attempt.tid != 0) absl::StrAppend(&who, " for thread ", attempt.tid);
  absl::StrAppend(&who, ": ");
  switch (error) {
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(absl::StrCat("not permitted: ", NotPermitted(attempt)));
    case ENOSYS:
      return absl::UnimplementedError(
          "perf_event_open is missing: a kernel without CONFIG_PERF_EVENTS, or a seccomp filter "
          "that hides it (allow perf_event_open in the container's profile)");
    case ENOENT:
      // Below the root of cgroup v2, kernels (seen: 6.1) give a cgroup its counters
      // when any controller is handed down for the first time.
      if (attempt.for_cgroup && attempt.event->encoding.type == PERF_TYPE_SOFTWARE) {
        return absl::FailedPreconditionError(
            "this kernel does not count for cgroups yet; hand any controller down, as root: "
            "echo +pids > /sys/fs/cgroup/cgroup.subtree_control");
      }
      return absl::UnimplementedError(NotSupported(attempt));
    case EOPNOTSUPP:
      return absl::UnimplementedError(NotSupported(attempt));
    case E2BIG:
      return absl::UnimplementedError(
          "not supported: this kernel is too old for a field that the event needs");
    case EINVAL:
      return absl::InvalidArgumentError(absl::StrCat(who, Refused(attempt)));
    case ESRCH:
      return absl::NotFoundError(absl::StrCat(who, "the thread has ended"));
    case ENODEV:
    case ENXIO:
      return absl::UnavailableError(absl::StrCat(who, "the CPU is offline or the PMU is gone"));
    case EBUSY:
      return absl::ResourceExhaustedError(absl::StrCat(
          who,
          "the counter is in use: another program, or the kernel's NMI watchdog (sysctl "
          "kernel.nmi_watchdog=0), holds it exclusively"));
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(
          absl::StrCat(who, error == EMFILE ? "out of file descriptors: raise LimitNOFILE= or "
                                              "ulimit -n of the agent"
                                            : "the whole system is out of file descriptors: raise "
                                              "sysctl fs.file-max"));
    case ENOMEM:
    case ENOSPC:
      return absl::ResourceExhaustedError(
          absl::StrCat(who, "the kernel has no memory or counter left for it"));
    default:
      return absl::ErrnoToStatus(error, who.substr(0, who.size() - 2));
  }
}

}  // namespace pmu::server
