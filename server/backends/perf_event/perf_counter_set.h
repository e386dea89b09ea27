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
// Thread-compatible, like every CounterSet.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/counter_plan.h"
#include "server/backends/perf_event/group_opener.h"
#include "server/backends/perf_event/perf_syscalls.h"

namespace pmu::server {

class PerfCounterSet final : public CounterSet {
 public:
  // Opens what `plan` says. `events` are those the plan was made of; needed
  // during Open only. A counter that cannot be opened is a slot with a status.
  // RESOURCE_EXHAUSTED: out of descriptors; everything is closed again.
  static absl::StatusOr<std::unique_ptr<PerfCounterSet>> Open(
      const OpenContext& context, const Clock* clock, absl::Span<const ResolvedEvent> events,
      CounterPlan plan);

  ~PerfCounterSet() override;
  PerfCounterSet(const PerfCounterSet&) = delete;
  PerfCounterSet& operator=(const PerfCounterSet&) = delete;

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override { return static_cast<int>(descriptors_.size()); }

  // FAILED_PRECONDITION: enabled before.
  absl::Status Enable() override;
  absl::Status Disable() override;
  void Read(absl::Span<RawReading> out) override;

 private:
  // One leader and its siblings, open.
  struct KernelGroup {
    std::vector<int> descriptors;  // the leader first
    int cpu = -1;
    bool grouped = false;  // read as PERF_FORMAT_GROUP
    bool pinned = false;
    bool whole_cpu = false;     // enabled time must pass as the clock does
    bool lost = false;          // its CPU went away
    std::vector<size_t> slots;  // slots[i] is served by descriptors[i]
  };

  PerfCounterSet(PerfSyscalls* syscalls, const Clock* clock, std::vector<CounterSlot> slots);

  absl::Status OpenGroups(const OpenContext& context, absl::Span<const ResolvedEvent> events,
                          const CounterPlan& plan);
  void ReadGroup(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out);
  void ReadDetached(const KernelGroup& group, size_t member);
  void ReadFailed(const KernelGroup& group, absl::Span<RawReading> out);
  void NoticeLostCpu(KernelGroup& group, int64_t now_ns, uint64_t enabled_ns) const;

  PerfSyscalls* const syscalls_;
  const Clock* const clock_;
  std::vector<CounterSlot> slots_;
  std::vector<KernelGroup> groups_;
  std::vector<int> descriptors_;  // in order of opening: leaders before siblings
  std::vector<uint64_t> buffer_;  // for one read(2)
  std::vector<RawReading> last_;  // by slot
  bool enabled_ = false;
  bool disabled_again_ = false;
  int64_t enabled_at_ns_ = 0;   // when the last leader was enabled
  int64_t disabled_at_ns_ = 0;  // when the first leader was to be disabled
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_PERF_COUNTER_SET_H_
