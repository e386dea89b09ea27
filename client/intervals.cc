#include "client/intervals.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/session_answers.h"

namespace pmu::client {
namespace {

// What one counter did between two readings. A gauge is a state, not a change.
void TakeChange(const RawReading& before, bool is_gauge, RawReading* reading) {
  if (is_gauge || before.state == ReadingState::kNotCounted) return;
  const bool grew = reading->raw_count >= before.raw_count &&
                    reading->enabled_ns >= before.enabled_ns &&
                    reading->running_ns >= before.running_ns;
  if (!grew) {
    *reading = RawReading();  // no number rather than a wrong one
    return;
  }
  reading->raw_count -= before.raw_count;
  reading->enabled_ns -= before.enabled_ns;
  reading->running_ns -= before.running_ns;
  reading->tsc_cycles -= std::min(before.tsc_cycles, reading->tsc_cycles);
  if (reading->state == ReadingState::kCounted && reading->running_ns == 0) {
    reading->state = ReadingState::kNotCounted;
  }
}

void TakeChanges(const HostResult& before, HostResult* now) {
  for (size_t i = 0; i < now->events.size(); ++i) {
    EventResult& event = now->events[i];
    const bool is_gauge = event.event.kind() == pmu::v1::COUNTER_KIND_GAUGE;
    for (size_t k = 0; k < event.readings.size(); ++k) {
      TakeChange(before.events[i].readings[k].reading, is_gauge, &event.readings[k].reading);
    }
  }
}

// Times that no clock shows could overflow.
bool IsPossible(int64_t ns) {
  constexpr int64_t kMaxClockNs = int64_t{1} << 61;
  return ns > 0 && ns < kMaxClockNs;
}

absl::Status Check(const pmu::v1::IntervalSample& sample, uint64_t last, uint64_t most) {
  if (sample.number() <= last) {
    return absl::InternalError(
        absl::StrCat("agent sent interval ", sample.number(), " after ", last));
  }
  if (sample.number() > most) {
    return absl::InternalError(
        absl::StrCat("agent sent interval ", sample.number(), " long before its time"));
  }
  const pmu::v1::Sample& taken = sample.sample();
  if (!IsPossible(sample.due_ns()) || !IsPossible(taken.begin_ns()) ||
      !IsPossible(taken.end_ns())) {
    return absl::InternalError(
        absl::StrCat("agent sent impossible times with interval ", sample.number()));
  }
  return absl::OkStatus();
}

int64_t MiddleNs(const pmu::v1::Sample& sample) {
  return sample.begin_ns() + (sample.end_ns() - sample.begin_ns()) / 2;
}

}  // namespace

HostSeries::HostSeries(const HostResult& host, std::vector<pmu::v1::CounterSlot> slots,
                       int64_t interval_ns)
    : template_(host), slots_(std::move(slots)), interval_ns_(interval_ns) {
  for (EventResult& event : template_.events) event.readings.clear();
}

absl::StatusOr<HostSeries::Step> HostSeries::Take(const pmu::v1::IntervalSample& sample,
                                                  uint64_t most) {
  absl::Status taken = Check(sample, last_.number(), most);
  if (!taken.ok()) return taken;
  Step step;
  step.number = sample.number();
  step.result = template_;
  taken = TakeReadings(slots_, sample.sample(), &step.result);
  if (!taken.ok()) return taken;
  if (start_ns_ == 0 && !sample.last()) {
    start_ns_ = sample.due_ns() - static_cast<int64_t>(sample.number()) * interval_ns_;
  }
  int64_t before_ns = start_ns_;
  if (last_.number() > 0) {
    HostResult before = template_;
    taken = TakeReadings(slots_, last_.sample(), &before);
    if (!taken.ok()) return taken;
    TakeChanges(before, &step.result);
    before_ns = MiddleNs(last_.sample());
  }
  if (before_ns != 0) step.result.measured_ns = MiddleNs(sample.sample()) - before_ns;
  step.end_ns = start_ns_ != 0 ? sample.due_ns() - start_ns_
                               : static_cast<int64_t>(sample.number()) * interval_ns_;
  const uint64_t skipped = sample.number() - last_.number() - 1;
  if (skipped > 0) {
    step.result.notes.push_back(
        absl::StrCat("intervals ", last_.number() + 1, " to ", sample.number(), " are one here: ",
                     sample.missed_before() == skipped ? "the agent was held up and missed "
                                                       : "no longer held by the agent, or missed: ",
                     skipped, " samples"));
  }
  last_ = sample;
  return step;
}

IntervalAssembler::IntervalAssembler(const MeasurementResult* result, int64_t interval_ns,
                                     Emit emit)
    : result_(result),
      interval_ns_(interval_ns),
      emit_(std::move(emit)),
      hosts_(result->hosts.size()) {}

void IntervalAssembler::Add(size_t host, HostSeries::Step step) {
  hosts_[host].latest = step.number;
  if (step.number < next_) {
    TellLate(std::move(step));
    return;
  }
  Pending& pending = pending_[step.number];
  pending.hosts.resize(hosts_.size());
  pending.end_ns = std::max(pending.end_ns, step.end_ns);
  pending.hosts[host] = std::move(step.result);
  TellWhatIsComplete();
}

void IntervalAssembler::End(size_t host) {
  hosts_[host].ended = true;
  TellWhatIsComplete();
}

void IntervalAssembler::TellWhatIsComplete() {
  uint64_t complete = UINT64_MAX;
  for (const HostState& host : hosts_) {
    if (!host.ended) complete = std::min(complete, host.latest);
  }
  while (!pending_.empty() && pending_.begin()->first <= complete) Tell(pending_.begin()->first);
}

void IntervalAssembler::GiveUp(uint64_t number) {
  while (next_ <= number) Tell(next_);
}

void IntervalAssembler::Finish() {
  while (!pending_.empty()) Tell(pending_.begin()->first);
}

Interval IntervalAssembler::Empty(uint64_t number) const {
  Interval interval;
  interval.number = number;
  interval.begin_ns = static_cast<int64_t>(number - 1) * interval_ns_;
  interval.end_ns = static_cast<int64_t>(number) * interval_ns_;
  interval.result.requested_events = result_->requested_events;
  interval.result.follows_task = result_->follows_task;
  return interval;
}

HostResult IntervalAssembler::Missing(size_t host, uint64_t number) const {
  HostResult missing;
  missing.host = result_->hosts[host].host;
  for (const EventResult& event : result_->hosts[host].events) {
    missing.events.push_back({event.event, {}});
  }
  if (!result_->hosts[host].status.ok()) {
    missing.status = result_->hosts[host].status;
  } else if (hosts_[host].latest > number) {
    missing.status = absl::UnavailableError("no sample of its own: see the next interval");
  } else {
    missing.status = absl::UnavailableError(
        hosts_[host].ended ? "had ended" : "late: nothing was heard from it in time");
  }
  return missing;
}

// Also tells numbers below it that nobody has: all missed them.
void IntervalAssembler::Tell(uint64_t number) {
  for (; next_ <= number; ++next_) {
    Interval interval = Empty(next_);
    const auto found = pending_.find(next_);
    for (size_t host = 0; host < hosts_.size(); ++host) {
      const bool has = found != pending_.end() && found->second.hosts[host].has_value();
      interval.result.hosts.push_back(has ? *std::move(found->second.hosts[host])
                                          : Missing(host, next_));
    }
    if (found != pending_.end()) {
      interval.end_ns = std::min(interval.end_ns, found->second.end_ns);
      pending_.erase(found);
    }
    emit_(interval);
  }
}

void IntervalAssembler::TellLate(HostSeries::Step step) {
  Interval interval = Empty(step.number);
  interval.late = true;
  interval.end_ns = std::min(interval.end_ns, step.end_ns);
  interval.result.hosts.push_back(std::move(step.result));
  emit_(interval);
}

}  // namespace pmu::client
