// perf_counter_set.h: open perf_event descriptors of one session.
//
// Owns its descriptors from Open until destruction. Counters are opened
// disabled; Enable is one ioctl(2) per kernel group: siblings are opened
// enabled and so start with their leader, at the same instant. Read is one
// read(2) per kernel group.
//
// A set counts once: after Disable it cannot be enabled again, because the
// kernel's times do not start anew (PERF_EVENT_IOC_RESET resets counts only).
//
// The kernel switches the events of a CPU that goes offline off, for good and
// without an error. That is noticed by their times, or for a cgroup by those of
// a sentinel; while the CPU is away its readings are in state CPU lost, and when
// it is back they are opened anew and go on from where they were, with a note
// that says so.
//
// Thread-compatible, like every CounterSet.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/counter_plan.h"
#include "server/backends/perf_event/cpu_presence.h"
#include "server/backends/perf_event/cpu_sentinel.h"
#include "server/backends/perf_event/group_opener.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "server/backends/perf_event/task_target.h"

namespace pmu::server {

class PerfCounterSet final : public CounterSet {
 public:
  // Opens what `plan` says. `events` are those the plan was made of. `cgroup` is the directory
  // behind the context's cgroup_fd: kept for CPUs that come back. A counter that cannot be
  // opened is a slot with a status. RESOURCE_EXHAUSTED: out of descriptors; everything is closed
  // again.
  static absl::StatusOr<std::unique_ptr<PerfCounterSet>> Open(
      const OpenContext& context, const Clock* clock, absl::Span<const ResolvedEvent> events,
      CounterPlan plan, DirectoryHandle cgroup);

  ~PerfCounterSet() override;
  PerfCounterSet(const PerfCounterSet&) = delete;
  PerfCounterSet& operator=(const PerfCounterSet&) = delete;

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override;

  // FAILED_PRECONDITION: enabled before.
  absl::Status Enable() override;
  absl::Status Disable() override;
  void Read(absl::Span<RawReading> out) override;
  void Upkeep() override;
  std::vector<std::string> Notes() const override { return notes_; }

 private:
  // One leader and its siblings, open.
  struct KernelGroup {
    std::vector<int> descriptors;  // the leader first
    int cpu = -1;
    bool grouped = false;  // read as PERF_FORMAT_GROUP
    bool pinned = false;
    bool whole_cpu = false;  // enabled time must pass as the clock does
    CpuPresence presence;    // of a whole CPU, once enabled
    // Of a CPU that went away.
    bool lost = false;
    int64_t lost_at_ns = 0;
    int64_t try_again_ns = 0;
    const PlannedGroup* planned = nullptr;  // into plan_
    std::vector<size_t> slots;              // slots[i] is served by descriptors[i]
  };

  PerfCounterSet(const OpenContext& context, const Clock* clock,
                 absl::Span<const ResolvedEvent> events, CounterPlan plan, DirectoryHandle cgroup);

  absl::Status OpenGroups();
  absl::Status OpenSentinels();
  absl::Status OutOfDescriptors(const absl::Status& status) const;
  static void TakeOver(const PlannedGroup& planned, OpenedGroup opened, KernelGroup* group);
  void ReadGroup(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out);
  void ReadDetached(const KernelGroup& group, size_t member);
  void ReadFailed(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out);
  void NoticeLostCpu(KernelGroup& group, int64_t now_ns, uint64_t enabled_ns) const;
  // When its CPU went away, as well as a counter that stood still at `enabled_ns`
  // can tell.
  static int64_t AwaySinceNs(const KernelGroup& group, int64_t now_ns, uint64_t enabled_ns);
  static void MarkLost(KernelGroup& group, int64_t at_ns);
  // Asks the sentinels, and marks the cgroup's counters on CPUs that are away.
  void AskSentinels(int64_t now_ns);
  CpuSentinel* SentinelOf(const KernelGroup& group);
  // Opens a lost group anew, if its CPU is back.
  void TryAgain(KernelGroup& group, int64_t now_ns);
  void TellAway(const KernelGroup& group, int64_t back_at_ns);
  void CloseGroup(const KernelGroup& group);
  std::string SecondsIn(int64_t at_ns) const;

  const DirectoryHandle cgroup_;
  const OpenContext context_;
  PerfSyscalls* const syscalls_;
  const Clock* const clock_;
  const std::vector<ResolvedEvent> events_;
  const CounterPlan plan_;
  std::vector<CounterSlot> slots_;
  std::vector<KernelGroup> groups_;
  std::vector<CpuSentinel> sentinels_;
  int64_t ask_sentinels_ns_ = 0;  // when to ask next
  std::vector<uint64_t> buffer_;  // for one read(2)
  std::vector<RawReading> last_;  // by slot
  // By slot: what was counted before the CPU was lost and came back.
  std::vector<RawReading> before_;
  std::vector<RawReading> upkeep_;  // room for one
  std::vector<std::string> notes_;
  bool enabled_ = false;
  bool disabled_again_ = false;
  int64_t enabled_at_ns_ = 0;   // when the first leader was enabled
  int64_t disabled_at_ns_ = 0;  // when the first leader was to be disabled
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_
