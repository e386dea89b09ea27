#include "server/backends/perf_event/perf_counter_set.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

// Words before the counts: number, enabled and running with PERF_FORMAT_GROUP;
// without it a single count comes first, then the two times.
constexpr size_t kHeaderWords = 3;

// A counter of a whole CPU is enabled as long as the session. When its enabled
// time falls behind the clock by more than this, the CPU was offline meanwhile:
// the kernel switches its events off, for good and without an error. The slack
// covers coarse scheduler clocks and slewing of CLOCK_MONOTONIC.
constexpr int64_t kLostSlackNs = 20'000'000;
constexpr int64_t kLostSlackShare = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<PerfCounterSet>> PerfCounterSet::Open(
    const OpenContext& context, const Clock* clock, absl::Span<const ResolvedEvent> events,
    CounterPlan plan) {
  auto set = std::unique_ptr<PerfCounterSet>(
      new PerfCounterSet(context.syscalls, clock, std::move(plan.slots)));
  absl::Status status = set->OpenGroups(context, events, plan);
  if (!status.ok()) return status;
  return set;
}

PerfCounterSet::PerfCounterSet(PerfSyscalls* syscalls, const Clock* clock,
                               std::vector<CounterSlot> slots)
    : syscalls_(syscalls), clock_(clock), slots_(std::move(slots)), last_(slots_.size()) {}

PerfCounterSet::~PerfCounterSet() {
  // Siblings first: one that outlives its leader would count on alone.
  for (auto fd = descriptors_.rbegin(); fd != descriptors_.rend(); ++fd) syscalls_->Close(*fd);
}

absl::Status PerfCounterSet::OpenGroups(const OpenContext& context,
                                        absl::Span<const ResolvedEvent> events,
                                        const CounterPlan& plan) {
  size_t largest_group = 1;
  for (const PlannedGroup& planned : plan.groups) {
    OpenedGroup opened;
    const absl::Status status = OpenGroup(context, events, planned, slots_, opened);
    descriptors_.insert(descriptors_.end(), opened.descriptors.begin(), opened.descriptors.end());
    if (!status.ok()) {
      return absl::Status(
          status.code(),
          absl::StrCat(status.message(), " (the session needs ", plan.descriptor_count(),
                       " file descriptors, ", descriptors_.size(), " could be opened)"));
    }
    if (opened.descriptors.empty()) continue;
    KernelGroup group;
    group.descriptors = std::move(opened.descriptors);
    group.cpu = planned.cpu;
    group.grouped = opened.grouped;
    group.pinned = opened.pinned;
    group.whole_cpu = planned.cpu >= 0 && !planned.for_cgroup;
    group.slots = std::move(opened.slots);
    largest_group = std::max(largest_group, group.slots.size());
    groups_.push_back(std::move(group));
  }
  buffer_.resize(kHeaderWords + largest_group);
  return absl::OkStatus();
}

absl::Status PerfCounterSet::Enable() {
  if (enabled_) return absl::FailedPreconditionError("these counters were enabled before");
  enabled_ = true;
  for (const KernelGroup& group : groups_) {
    const SyscallResult result =
        syscalls_->Ioctl(group.descriptors.front(), PERF_EVENT_IOC_ENABLE, 0);
    if (!result.ok()) {
      return absl::InternalError(absl::StrCat("ioctl(PERF_EVENT_IOC_ENABLE) on CPU ", group.cpu,
                                              ": ", std::strerror(result.error)));
    }
  }
  enabled_at_ns_ = clock_->MonotonicNs();
  return absl::OkStatus();
}

absl::Status PerfCounterSet::Disable() {
  if (!disabled_again_) disabled_at_ns_ = clock_->MonotonicNs();
  disabled_again_ = true;
  absl::Status first_error;
  for (const KernelGroup& group : groups_) {
    const SyscallResult result =
        syscalls_->Ioctl(group.descriptors.front(), PERF_EVENT_IOC_DISABLE, 0);
    if (!result.ok() && first_error.ok()) {
      first_error = absl::InternalError(absl::StrCat("ioctl(PERF_EVENT_IOC_DISABLE) on CPU ",
                                                     group.cpu, ": ", std::strerror(result.error)));
    }
  }
  return first_error;
}

void PerfCounterSet::Read(absl::Span<RawReading> out) {
  const size_t size = std::min(out.size(), slots_.size());
  for (size_t i = 0; i < size; ++i) {
    out[i] = RawReading();
    if (!slots_[i].status.ok()) out[i].state = ReadingState::kNotSupported;
  }
  if (size != slots_.size()) return;
  // Taken before the reads, so that no delay of ours looks like a lost CPU.
  const int64_t now_ns = clock_->MonotonicNs();
  for (KernelGroup& group : groups_) ReadGroup(group, now_ns, out);
}

void PerfCounterSet::ReadGroup(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out) {
  const size_t wanted_words = group.grouped ? kHeaderWords + group.slots.size() : kHeaderWords;
  const SyscallResult result =
      syscalls_->Read(group.descriptors.front(), buffer_.data(), wanted_words * sizeof(uint64_t));
  const size_t words =
      result.ok() ? static_cast<size_t>(result.value) / sizeof(uint64_t) : size_t{0};
  if (words < kHeaderWords) return ReadFailed(group, out);

  const uint64_t enabled_ns = buffer_[1];
  const uint64_t running_ns = buffer_[2];
  NoticeLostCpu(group, now_ns, enabled_ns);
  const size_t counts = group.grouped ? std::min<size_t>(buffer_[0], words - kHeaderWords) : 1;
  const ReadingState state = running_ns == 0 ? ReadingState::kNotCounted : ReadingState::kCounted;
  for (size_t i = 0; i < std::min(counts, group.slots.size()); ++i) {
    RawReading& reading = last_[group.slots[i]];
    reading.raw_count = group.grouped ? buffer_[kHeaderWords + i] : buffer_[0];
    reading.enabled_ns = enabled_ns;
    reading.running_ns = running_ns;
    reading.state = state;
  }
  // A CPU that goes offline breaks its groups up: the leader reads alone then.
  if (counts < group.slots.size()) group.lost = true;
  for (size_t i = counts; i < group.slots.size(); ++i) ReadDetached(group, i);
  for (const size_t slot : group.slots) {
    if (group.lost) last_[slot].state = ReadingState::kCpuLost;
    out[slot] = last_[slot];
  }
}

void PerfCounterSet::ReadDetached(const KernelGroup& group, size_t member) {
  const SyscallResult result =
      syscalls_->Read(group.descriptors[member], buffer_.data(), buffer_.size() * sizeof(uint64_t));
  constexpr size_t kWords = kHeaderWords + 1;  // a group of one
  if (!result.ok() || static_cast<size_t>(result.value) < kWords * sizeof(uint64_t)) return;
  RawReading& reading = last_[group.slots[member]];
  reading.enabled_ns = buffer_[1];
  reading.running_ns = buffer_[2];
  reading.raw_count = buffer_[kHeaderWords];
}

void PerfCounterSet::ReadFailed(const KernelGroup& group, absl::Span<RawReading> out) {
  // End of file is a pinned group that the PMU had no room for, or an event
  // whose PMU is gone (perf_event_open(2), "pinned").
  const bool cpu_lost = group.cpu >= 0 && !group.pinned;
  for (const size_t slot : group.slots) {
    last_[slot].state = cpu_lost ? ReadingState::kCpuLost : ReadingState::kNotCounted;
    out[slot] = last_[slot];
  }
}

void PerfCounterSet::NoticeLostCpu(KernelGroup& group, int64_t now_ns, uint64_t enabled_ns) const {
  if (!group.whole_cpu || !enabled_ || enabled_at_ns_ == 0) return;
  const int64_t until_ns = disabled_again_ ? disabled_at_ns_ : now_ns;
  const int64_t expected_ns = until_ns - enabled_at_ns_;
  const int64_t slack_ns = kLostSlackNs + expected_ns / kLostSlackShare;
  if (static_cast<int64_t>(enabled_ns) + slack_ns < expected_ns) group.lost = true;
}

}  // namespace pmu::server
