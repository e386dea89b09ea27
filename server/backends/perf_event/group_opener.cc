#include "server/backends/perf_event/group_opener.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "server/backends/perf_event/open_error.h"

namespace pmu::server {
namespace {

perf_event_attr MakeAttr(const ResolvedEvent& event, const PlannedGroup& planned, bool leader,
                         bool pinned) {
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = event.encoding.type;
  attr.config = event.encoding.config;
  attr.config1 = event.encoding.config1;
  attr.config2 = event.encoding.config2;
  attr.exclude_user = event.encoding.exclude_user;
  attr.exclude_kernel = event.encoding.exclude_kernel;
  attr.exclude_hv = event.encoding.exclude_hv;
  attr.exclude_host = event.encoding.exclude_host;
  attr.exclude_guest = event.encoding.exclude_guest;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  if (planned.members.size() > 1) attr.read_format |= PERF_FORMAT_GROUP;
  // Threads that the process starts later are counted too.
  attr.inherit = planned.tid != 0;
  // The kernel takes pinned from leaders only. Siblings are "enabled" from the
  // start and wait for their leader.
  attr.disabled = leader;
  attr.pinned = leader && pinned;
  return attr;
}

// The running state of opening one group.
class Opener {
 public:
  Opener(const OpenContext& context, absl::Span<const ResolvedEvent> events,
         const PlannedGroup& planned, std::vector<CounterSlot>& slots, OpenedGroup& opened)
      : context_(context), events_(events), planned_(planned), slots_(slots), opened_(opened) {
    opened_.grouped = planned.members.size() > 1;
    opened_.pinned =
        std::any_of(planned.members.begin(), planned.members.end(),
                    [&](const PlannedMember& m) { return events[m.event].encoding.pinned; });
  }

  absl::Status Open() {
    for (const PlannedMember& member : planned_.members) {
      const int leader = opened_.descriptors.empty() ? -1 : opened_.descriptors.front();
      SyscallResult result = Call(member, leader);
      if (result.ok()) {
        opened_.descriptors.push_back(static_cast<int>(result.value));
        opened_.slots.push_back(member.slot);
        continue;
      }
      if (result.error == EINVAL && leader >= 0) {
        // Is it the event, or that it does not fit beside the others?
        const SyscallResult alone = Call(member, -1);
        if (alone.ok()) {
          context_.syscalls->Close(static_cast<int>(alone.value));
          GiveUp(member);
          return absl::OkStatus();
        }
        result = alone;
      }
      const absl::Status status = Error(member, result.error);
      if (result.error == EMFILE || result.error == ENFILE) return status;
      slots_[member.slot].status = status;
    }
    return absl::OkStatus();
  }

 private:
  SyscallResult Call(const PlannedMember& member, int leader) {
    const perf_event_attr attr =
        MakeAttr(events_[member.event], planned_, leader < 0, opened_.pinned);
    pid_t pid = planned_.tid != 0 ? planned_.tid : -1;
    unsigned long flags = PERF_FLAG_FD_CLOEXEC;
    if (planned_.for_cgroup) {
      pid = context_.cgroup_fd;
      flags |= PERF_FLAG_PID_CGROUP;
    }
    return context_.syscalls->Open(attr, pid, planned_.cpu, leader, flags);
  }

  absl::Status Error(const PlannedMember& member, int error) const {
    OpenAttempt attempt;
    attempt.event = &events_[member.event];
    attempt.cpu = planned_.cpu;
    attempt.tid = planned_.tid;
    attempt.for_cgroup = planned_.for_cgroup;
    attempt.has_core_pmu = context_.has_core_pmu;
    attempt.privileges = context_.privileges;
    return OpenError(error, attempt);
  }

  void GiveUp(const PlannedMember& refused) {
    for (auto fd = opened_.descriptors.rbegin(); fd != opened_.descriptors.rend(); ++fd) {
      context_.syscalls->Close(*fd);
    }
    opened_.descriptors.clear();
    opened_.slots.clear();
    const absl::Status status = absl::FailedPreconditionError(absl::StrCat(
        "the group of ", planned_.members.size(), " events does not fit: the PMU cannot count '",
        events_[refused.event].text, "' together with those before it; use smaller groups"));
    for (const PlannedMember& member : planned_.members) slots_[member.slot].status = status;
  }

  const OpenContext& context_;
  absl::Span<const ResolvedEvent> events_;
  const PlannedGroup& planned_;
  std::vector<CounterSlot>& slots_;
  OpenedGroup& opened_;
};

}  // namespace

absl::Status OpenGroup(const OpenContext& context, absl::Span<const ResolvedEvent> events,
                       const PlannedGroup& planned, std::vector<CounterSlot>& slots,
                       OpenedGroup& opened) {
  return Opener(context, events, planned, slots, opened).Open();
}

}  // namespace pmu::server
