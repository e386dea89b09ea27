#include "server/backends/perf_event/perf_counter_set.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::server {
namespace {

// Words before the counts: number, enabled and running with PERF_FORMAT_GROUP;
// without it a single count comes first, then the two times.
constexpr size_t kHeaderWords = 3;

// How often a CPU that was lost is looked for.
constexpr int64_t kTryAgainNs = 100'000'000;

// How often sentinels are asked: each is a read(2) beside those of the sample.
constexpr int64_t kAskSentinelsNs = 1'000'000'000;

}  // namespace

absl::StatusOr<std::unique_ptr<PerfCounterSet>> PerfCounterSet::Open(
    const OpenContext& context, const Clock* clock, absl::Span<const ResolvedEvent> events,
    CounterPlan plan, DirectoryHandle cgroup) {
  auto set = absl::WrapUnique(
      new PerfCounterSet(context, clock, events, std::move(plan), std::move(cgroup)));
  absl::Status status = set->OpenGroups();
  if (status.ok()) status = set->OpenSentinels();
  if (!status.ok()) return status;
  return set;
}

PerfCounterSet::PerfCounterSet(const OpenContext& context, const Clock* clock,
                               absl::Span<const ResolvedEvent> events, CounterPlan plan,
                               DirectoryHandle cgroup)
    : cgroup_(std::move(cgroup)),
      context_(context),
      syscalls_(context.syscalls),
      clock_(clock),
      events_(events.begin(), events.end()),
      plan_(std::move(plan)),
      slots_(plan_.slots),
      last_(slots_.size()),
      before_(slots_.size()),
      upkeep_(slots_.size()) {}

PerfCounterSet::~PerfCounterSet() {
  for (const KernelGroup& group : groups_) CloseGroup(group);
}

// Siblings first: one that outlives its leader would count on alone.
void PerfCounterSet::CloseGroup(const KernelGroup& group) {
  for (auto fd = group.descriptors.rbegin(); fd != group.descriptors.rend(); ++fd) {
    syscalls_->Close(*fd);
  }
}

int PerfCounterSet::descriptor_count() const {
  size_t count = sentinels_.size() + (cgroup_.fd() >= 0 ? 1 : 0);
  for (const KernelGroup& group : groups_) count += group.descriptors.size();
  return static_cast<int>(count);
}

absl::Status PerfCounterSet::OpenGroups() {
  size_t largest_group = 1;
  for (const PlannedGroup& planned : plan_.groups) {
    OpenedGroup opened;
    const absl::Status status = OpenGroup(context_, events_, planned, slots_, opened);
    KernelGroup group;
    TakeOver(planned, std::move(opened), &group);
    const bool any = !group.descriptors.empty();
    largest_group = std::max(largest_group, group.slots.size());
    if (any) groups_.push_back(std::move(group));
    if (!status.ok()) return OutOfDescriptors(status);
  }
  buffer_.resize(kHeaderWords + largest_group);
  return absl::OkStatus();
}

absl::Status PerfCounterSet::OpenSentinels() {
  for (const int cpu : plan_.cgroup_cpus) {
    CpuSentinel sentinel(syscalls_, clock_, cpu);
    const SyscallResult result = sentinel.Open();
    if (result.error == EMFILE || result.error == ENFILE) {
      return OutOfDescriptors(absl::ResourceExhaustedError(
          absl::StrCat("perf_event_open(2) on CPU ", cpu, ": ", std::strerror(result.error))));
    }
    // Else the CPU has gone meanwhile, and the slots say so.
    if (result.ok()) sentinels_.push_back(std::move(sentinel));
  }
  return absl::OkStatus();
}

absl::Status PerfCounterSet::OutOfDescriptors(const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat(status.message(), " (the session needs ",
                                                  plan_.descriptor_count(), " file descriptors, ",
                                                  descriptor_count(), " could be opened)"));
}

void PerfCounterSet::TakeOver(const PlannedGroup& planned, OpenedGroup opened, KernelGroup* group) {
  group->planned = &planned;
  group->descriptors = std::move(opened.descriptors);
  group->cpu = planned.cpu;
  group->grouped = opened.grouped;
  group->pinned = opened.pinned;
  group->whole_cpu = planned.cpu >= 0 && !planned.for_cgroup;
  group->slots = std::move(opened.slots);
}

absl::Status PerfCounterSet::Enable() {
  if (enabled_) return absl::FailedPreconditionError("these counters were enabled before");
  enabled_ = true;
  enabled_at_ns_ = clock_->MonotonicNs();
  for (KernelGroup& group : groups_) {
    const SyscallResult result =
        syscalls_->Ioctl(group.descriptors.front(), PERF_EVENT_IOC_ENABLE, 0);
    if (!result.ok()) {
      return absl::InternalError(absl::StrCat("ioctl(PERF_EVENT_IOC_ENABLE) on CPU ", group.cpu,
                                              ": ", std::strerror(result.error)));
    }
  }
  const int64_t now_ns = clock_->MonotonicNs();
  for (KernelGroup& group : groups_) group.presence.Mark(now_ns);
  AskSentinels(now_ns);
  return absl::OkStatus();
}

absl::Status PerfCounterSet::Disable() {
  if (!disabled_again_) disabled_at_ns_ = clock_->MonotonicNs();
  disabled_again_ = true;
  AskSentinels(disabled_at_ns_);
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
  if (now_ns >= ask_sentinels_ns_ && enabled_ && !disabled_again_) AskSentinels(now_ns);
  for (KernelGroup& group : groups_) ReadGroup(group, now_ns, out);
}

void PerfCounterSet::AskSentinels(int64_t now_ns) {
  ask_sentinels_ns_ = now_ns + kAskSentinelsNs;
  for (CpuSentinel& sentinel : sentinels_) {
    const absl::optional<int64_t> away_since_ns = sentinel.AwaySinceNs();
    if (!away_since_ns.has_value()) continue;
    for (KernelGroup& group : groups_) {
      if (SentinelOf(group) == &sentinel) MarkLost(group, *away_since_ns);
    }
  }
}

CpuSentinel* PerfCounterSet::SentinelOf(const KernelGroup& group) {
  if (!group.planned->for_cgroup) return nullptr;
  for (CpuSentinel& sentinel : sentinels_) {
    if (sentinel.cpu() == group.cpu) return &sentinel;
  }
  return nullptr;
}

void PerfCounterSet::Upkeep() { Read(absl::MakeSpan(upkeep_)); }

void PerfCounterSet::ReadGroup(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out) {
  if (group.lost && group.cpu >= 0 && !disabled_again_ && now_ns >= group.try_again_ns) {
    TryAgain(group, now_ns);
  }
  const size_t wanted_words = group.grouped ? kHeaderWords + group.slots.size() : kHeaderWords;
  const SyscallResult result =
      syscalls_->Read(group.descriptors.front(), buffer_.data(), wanted_words * sizeof(uint64_t));
  const size_t words =
      result.ok() ? static_cast<size_t>(result.value) / sizeof(uint64_t) : size_t{0};
  if (words < kHeaderWords) return ReadFailed(group, now_ns, out);

  const uint64_t enabled_ns = buffer_[1];
  const uint64_t running_ns = buffer_[2];
  NoticeLostCpu(group, now_ns, enabled_ns);
  const size_t counts = group.grouped ? std::min<size_t>(buffer_[0], words - kHeaderWords) : 1;
  const ReadingState state = running_ns == 0 ? ReadingState::kNotCounted : ReadingState::kCounted;
  for (size_t i = 0; i < std::min(counts, group.slots.size()); ++i) {
    RawReading& reading = last_[group.slots[i]];
    const RawReading& before = before_[group.slots[i]];
    reading.raw_count = before.raw_count + (group.grouped ? buffer_[kHeaderWords + i] : buffer_[0]);
    reading.enabled_ns = before.enabled_ns + enabled_ns;
    reading.running_ns = before.running_ns + running_ns;
    reading.state = before.running_ns > 0 ? ReadingState::kCounted : state;
  }
  // A CPU that goes offline breaks its groups up: the leader reads alone then.
  if (counts < group.slots.size()) MarkLost(group, AwaySinceNs(group, now_ns, enabled_ns));
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
  const RawReading& before = before_[group.slots[member]];
  reading.enabled_ns = before.enabled_ns + buffer_[1];
  reading.running_ns = before.running_ns + buffer_[2];
  reading.raw_count = before.raw_count + buffer_[kHeaderWords];
}

void PerfCounterSet::ReadFailed(KernelGroup& group, int64_t now_ns, absl::Span<RawReading> out) {
  // End of file is a pinned group that the PMU had no room for, or an event
  // whose PMU is gone (perf_event_open(2), "pinned").
  const bool cpu_lost = group.cpu >= 0 && !group.pinned;
  if (cpu_lost) {
    const size_t first = group.slots.front();
    MarkLost(group,
             AwaySinceNs(group, now_ns, last_[first].enabled_ns - before_[first].enabled_ns));
  }
  for (const size_t slot : group.slots) {
    last_[slot].state = cpu_lost ? ReadingState::kCpuLost : ReadingState::kNotCounted;
    out[slot] = last_[slot];
  }
}

void PerfCounterSet::NoticeLostCpu(KernelGroup& group, int64_t now_ns, uint64_t enabled_ns) const {
  if (!group.whole_cpu || group.lost) return;
  const int64_t until_ns = disabled_again_ ? disabled_at_ns_ : now_ns;
  if (group.presence.WentAway(until_ns, enabled_ns)) {
    MarkLost(group, group.presence.AwaySinceNs(enabled_ns));
  } else if (!disabled_again_ && group.presence.WantsMark(now_ns)) {
    group.presence.Mark(clock_->MonotonicNs(), enabled_ns);
  }
}

int64_t PerfCounterSet::AwaySinceNs(const KernelGroup& group, int64_t now_ns, uint64_t enabled_ns) {
  const bool tells_time = group.whole_cpu && group.presence.marked();
  return tells_time ? group.presence.AwaySinceNs(enabled_ns) : now_ns;
}

void PerfCounterSet::MarkLost(KernelGroup& group, int64_t at_ns) {
  if (group.lost) return;
  group.lost = true;
  group.lost_at_ns = at_ns;
}

// Nothing is allocated on the way of a sample but here, where a CPU was lost.
void PerfCounterSet::TryAgain(KernelGroup& group, int64_t now_ns) {
  group.try_again_ns = now_ns + kTryAgainNs;
  CpuSentinel* const sentinel = SentinelOf(group);
  const bool watched = sentinel == nullptr || !sentinel->AwaySinceNs().has_value();
  if (!watched && !sentinel->Open().ok()) return;
  std::vector<CounterSlot> slots = plan_.slots;
  OpenedGroup opened;
  const absl::Status status = OpenGroup(context_, events_, *group.planned, slots, opened);
  KernelGroup back;
  TakeOver(*group.planned, std::move(opened), &back);
  const bool whole = status.ok() && back.slots == group.slots;
  if (!whole || !syscalls_->Ioctl(back.descriptors.front(), PERF_EVENT_IOC_ENABLE, 0).ok()) {
    CloseGroup(back);
    return;
  }
  const int64_t back_at_ns = clock_->MonotonicNs();
  back.presence.Mark(back_at_ns);
  for (const size_t slot : group.slots) before_[slot] = last_[slot];
  TellAway(group, back_at_ns);
  CloseGroup(group);
  group = std::move(back);
}

// The groups of a CPU are lost together and come back within moments: told once.
void PerfCounterSet::TellAway(const KernelGroup& group, int64_t back_at_ns) {
  std::string note =
      absl::StrCat("CPU ", group.cpu, " was offline from ", SecondsIn(group.lost_at_ns), " to ",
                   SecondsIn(back_at_ns), " after the start; it was counted before and after");
  const std::string beginning = note.substr(0, note.find('.'));
  const bool told = std::any_of(notes_.begin(), notes_.end(), [&](const std::string& other) {
    return absl::StartsWith(other, beginning);
  });
  if (!told) notes_.push_back(std::move(note));
}

std::string PerfCounterSet::SecondsIn(int64_t at_ns) const {
  return absl::StrFormat("%.1f s", static_cast<double>(at_ns - enabled_at_ns_) / 1e9);
}

}  // namespace pmu::server
