#include "server/backends/cci400/cci400_set.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "server/backends/cci400/cci400_events.h"

namespace pmu::server {
namespace {

// Which of the events need an event counter.
std::vector<size_t> EventCounterUsers(absl::Span<const ResolvedEvent> events) {
  std::vector<size_t> users;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].encoding.config != kCyclesEvent) users.push_back(i);
  }
  return users;
}

SlicePlan PlanOf(absl::Span<const ResolvedEvent> events, bool share) {
  std::vector<int> groups;
  for (size_t i : EventCounterUsers(events)) groups.push_back(events[i].group);
  return SlicePlan(groups, kCci400EventCounters, share);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Cci400Set>> Cci400Set::Open(absl::Span<const ResolvedEvent> events,
                                                           const Cci400SetOptions& options,
                                                           std::function<void()> released) {
  Cci400Counters counters(options.region, options.max_clock_hz);
  absl::StatusOr<std::vector<RestoreStep>> steps = counters.Save(options.take_over);
  if (!steps.ok()) return steps.status();
  for (RestoreStep& step : *steps) step.device = options.journal_device;
  absl::optional<RestoreJournal::Ticket> ticket;
  if (options.journal != nullptr) {
    absl::StatusOr<RestoreJournal::Ticket> recorded = options.journal->Record(*steps);
    if (!recorded.ok()) return recorded.status();
    ticket = *recorded;
  }
  auto set =
      absl::WrapUnique(new Cci400Set(events, options, std::move(counters), std::move(released)));
  set->restore_steps_ = *std::move(steps);
  set->ticket_ = ticket;
  return set;
}

Cci400Set::Cci400Set(absl::Span<const ResolvedEvent> events, const Cci400SetOptions& options,
                     Cci400Counters counters, std::function<void()> released)
    : options_(options),
      released_(std::move(released)),
      counters_(std::move(counters)),
      shared_events_(EventCounterUsers(events)),
      plan_(PlanOf(events, options.share)) {
  absl::MutexLock lock(&mutex_);
  for (const ResolvedEvent& event : events) {
    Event own;
    own.select = static_cast<uint32_t>(event.encoding.config);
    own.is_cycles = event.encoding.config == kCyclesEvent;
    events_.push_back(own);
  }
  FillSlots();
}

void Cci400Set::FillSlots() {
  slots_.resize(events_.size());
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i].event = static_cast<int>(i);
  for (size_t user = 0; user < shared_events_.size(); ++user) {
    if (!plan_.refused(user)) continue;
    absl::Status& status = slots_[shared_events_[user]].status;
    if (plan_.group_too_large(user)) {
      status = absl::ResourceExhaustedError(
          "the group has more events than the CCI-400 has event counters (4, beside cycles): take "
          "events out of it");
    } else {
      status = absl::ResourceExhaustedError(
          "all 4 event counters of the CCI-400 are taken by events before this one: ask for fewer "
          "events, or let them share the counters over time (multiplexing)");
    }
  }
}

Cci400Set::~Cci400Set() {
  poll_thread_.reset();
  {
    absl::MutexLock lock(&mutex_);
    if (counting_) StopCounting().IgnoreError();  // Being destroyed: nobody to tell.
    RestoreRegisters();
  }
  released_();
}

void Cci400Set::RestoreRegisters() {
  bool restored = true;
  for (const RestoreStep& step : restore_steps_) {
    const absl::Status written = options_.region->Write32(static_cast<uint32_t>(step.address),
                                                          static_cast<uint32_t>(step.data));
    if (!written.ok()) restored = false;
  }
  // What could not be written back stays in the journal for the next start.
  if (ticket_.has_value() && restored) options_.journal->MarkUndone(*ticket_).IgnoreError();
}

int Cci400Set::descriptor_count() const {
  return options_.poll_interval_ns > 0 ? PollThread::kDescriptors : 0;
}

absl::Status Cci400Set::SetCycleLimit(CycleLimit limit) {
  absl::MutexLock lock(&mutex_);
  if (ever_enabled_) return absl::FailedPreconditionError("counting has started already");
  if (limit.cycles == 0) return absl::InvalidArgumentError("a limit of 0 cycles");
  limit_ = std::move(limit);
  return absl::OkStatus();
}

absl::Status Cci400Set::Enable() {
  poll_thread_.reset();  // One that ended with a limit.
  {
    absl::MutexLock lock(&mutex_);
    if (counting_) return absl::FailedPreconditionError("the CCI-400's counters count already");
    for (Event& event : events_) {
      event.count = 0;
      event.running_ns = 0;
      event.has_run = false;
      event.overflow_suspected = false;
    }
    cycles_ = 0;
    cycles_running_ns_ = 0;
    enabled_ns_ = 0;
    failure_ = absl::OkStatus();
    absl::Status started = StartSlice();
    if (!started.ok()) return started;
    ever_enabled_ = true;
    counting_ = true;
    enabled_at_ns_ = slice_began_ns_;
  }
  if (options_.poll_interval_ns == 0) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<PollThread>> thread = PollThread::Start([this] { return Poll(); });
  if (thread.ok()) {
    poll_thread_ = *std::move(thread);
    return absl::OkStatus();
  }
  Disable().IgnoreError();  // The first error is the one to tell.
  return thread.status();
}

absl::Status Cci400Set::Disable() {
  poll_thread_.reset();
  absl::MutexLock lock(&mutex_);
  return counting_ ? StopCounting() : absl::OkStatus();
}

absl::Status Cci400Set::StartSlice() {
  for (Event& event : events_) event.counter = -1;
  std::vector<uint32_t> selects;
  for (size_t user : plan_.NextSlice()) {
    Event& event = events_[shared_events_[user]];
    selects.push_back(event.select);
    event.counter = static_cast<int>(selects.size());
    event.has_run = true;
  }
  for (Event& event : events_) {
    if (!event.is_cycles) continue;
    event.counter = kCycleCounter;
    event.has_run = true;
  }
  absl::Status programmed = counters_.Program(selects);
  if (!programmed.ok()) return programmed;
  // Taken just before the start: time enabled never is shorter than counted.
  slice_began_ns_ = options_.clock->MonotonicNs();
  return counters_.Start(slice_began_ns_);
}

absl::Status Cci400Set::EndSlice() {
  CheckSetup();
  absl::Status stopped = counters_.Stop();
  const int64_t now_ns = options_.clock->MonotonicNs();
  stopped.Update(counters_.Poll(now_ns));
  if (!stopped.ok()) Fail(stopped);
  for (Event& event : events_) {
    if (event.counter < 0) continue;
    event.count += counters_.total(event.counter);
    event.running_ns += now_ns - slice_began_ns_;
    if (counters_.overflow_suspected(event.counter)) event.overflow_suspected = true;
    event.counter = -1;
  }
  cycles_ += counters_.total(kCycleCounter);
  cycles_running_ns_ += now_ns - slice_began_ns_;
  enabled_ns_ = now_ns - enabled_at_ns_;
  return stopped;
}

absl::Status Cci400Set::StopCounting() {
  counting_ = false;
  return EndSlice();
}

void Cci400Set::Fail(const absl::Status& status) {
  if (failure_.ok()) failure_ = status;
}

void Cci400Set::CheckSetup() {
  const absl::Status unchanged = counters_.Verify();
  if (!unchanged.ok()) Fail(unchanged);
}

uint64_t Cci400Set::CyclesSoFar() const {
  return cycles_ + (counting_ ? counters_.total(kCycleCounter) : 0);
}

bool Cci400Set::LimitReached() const {
  return limit_.cycles != 0 && CyclesSoFar() >= limit_.cycles;
}

int64_t Cci400Set::Poll() {
  std::function<void()> on_reached;
  int64_t next_ns = -1;
  {
    absl::MutexLock lock(&mutex_);
    if (!counting_) return -1;
    const int64_t now_ns = options_.clock->MonotonicNs();
    const absl::Status polled = counters_.Poll(now_ns);
    if (!polled.ok()) Fail(polled);
    if (LimitReached()) {
      StopCounting().IgnoreError();  // Kept as the failure.
      on_reached = std::move(limit_.on_reached);
    } else if (plan_.shares() && now_ns - slice_began_ns_ >= options_.slice_ns) {
      absl::Status rotated = EndSlice();
      if (rotated.ok()) rotated = StartSlice();
      if (!rotated.ok()) {
        Fail(rotated);
        counting_ = false;
      }
    } else {
      CheckSetup();
    }
    if (counting_) next_ns = NextPollNs(now_ns);
  }
  if (on_reached) on_reached();
  return next_ns;
}

int64_t Cci400Set::NextPollNs(int64_t now_ns) const {
  // Without a thread's interval still well below the time of a wrap.
  int64_t next_ns = options_.poll_interval_ns > 0 ? options_.poll_interval_ns : 1'000'000'000;
  if (plan_.shares()) {
    next_ns = std::min(next_ns, std::max<int64_t>(0, slice_began_ns_ + options_.slice_ns - now_ns));
  }
  if (limit_.cycles == 0) return next_ns;
  // When the limit comes at the speed so far; earlier by a tenth and the time
  // to wake up, then watching for the last of it.
  const int64_t ran_ns = cycles_running_ns_ + now_ns - slice_began_ns_;
  const uint64_t cycles = CyclesSoFar();
  if (cycles == 0 || ran_ns <= 0) return std::min<int64_t>(next_ns, 1'000'000);
  const absl::uint128 left_ns = absl::uint128(limit_.cycles - cycles) * ran_ns / cycles;
  if (left_ns > static_cast<uint64_t>(next_ns) * 2) return next_ns;
  const int64_t early_ns = static_cast<int64_t>(absl::Uint128Low64(left_ns)) * 9 / 10 - 100'000;
  return std::min(next_ns, std::max<int64_t>(0, early_ns));
}

RawReading Cci400Set::ReadingOf(const Event& event, int64_t now_ns) const {
  RawReading reading;
  if (!ever_enabled_ || !failure_.ok()) return reading;  // NOT_COUNTED
  reading.enabled_ns = counting_ ? now_ns - enabled_at_ns_ : enabled_ns_;
  reading.raw_count = event.count;
  reading.running_ns = event.running_ns;
  bool suspected = event.overflow_suspected;
  if (counting_ && event.counter >= 0) {
    reading.raw_count += counters_.total(event.counter);
    reading.running_ns += now_ns - slice_began_ns_;
    suspected = suspected || counters_.overflow_suspected(event.counter);
  }
  if (event.has_run) {
    reading.state = suspected ? ReadingState::kOverflowSuspected : ReadingState::kCounted;
  }
  return reading;
}

void Cci400Set::Read(absl::Span<RawReading> out) {
  absl::MutexLock lock(&mutex_);
  const int64_t now_ns = options_.clock->MonotonicNs();
  if (counting_) {
    const absl::Status polled = counters_.Poll(now_ns);
    if (!polled.ok()) Fail(polled);
  }
  for (size_t i = 0; i < events_.size(); ++i) {
    out[i] = ReadingOf(events_[i], now_ns);
    if (!slots_[i].status.ok()) {
      out[i] = {};
      out[i].state = ReadingState::kNotSupported;
    }
  }
}

std::vector<std::string> Cci400Set::Notes() const {
  absl::MutexLock lock(&mutex_);
  if (!ever_enabled_) return {};
  if (!failure_.ok()) return {std::string(failure_.message())};
  const uint64_t cycles = CyclesSoFar();
  if (cycles == 0) {
    return {
        "the CCI-400's cycle counter stands still: its clock is off, or NIDEN is low and "
        "PMCR.DP is set"};
  }
  bool any_ran = false;
  for (const Event& event : events_) {
    if (event.is_cycles || !event.has_run) continue;
    any_ran = true;
    if (event.count != 0) return {};
    if (counting_ && event.counter >= 0 && counters_.total(event.counter) != 0) return {};
  }
  if (!any_ran) return {};
  return {absl::StrCat("every CCI-400 event reads 0 while its clock counted ", cycles,
                       " cycles: a likely cause is that non-invasive debug is off (NIDEN low), "
                       "which firmware can change")};
}

}  // namespace pmu::server
