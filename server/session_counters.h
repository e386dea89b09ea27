// session_counters.h: the open counters of one session, over all its backends.
//
// Puts the slots of one CounterSet per backend into one row of columns, and
// events whose every slot failed to open back into the plan as unsupported.
//
// Thread-compatible: the session serialises. Must not outlive the backends.
#ifndef PMU_SERVER_SESSION_COUNTERS_H_
#define PMU_SERVER_SESSION_COUNTERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/counter_math.h"
#include "server/backends/counter_backend.h"
#include "server/event_plan.h"

namespace pmu::server {

class SessionCounters {
 public:
  // Holds nothing.
  SessionCounters() = default;

  // Opens what `plan` says can be counted. Events that turn out not to be
  // countable get the reason as their `support`. Errors: those of
  // CounterBackend::Open; nothing stays open then.
  static absl::StatusOr<SessionCounters> Open(absl::Span<CounterBackend* const> backends,
                                              const CounterTarget& target,
                                              std::vector<PlannedEvent>* plan);

  // `event` of a slot is the index into the plan.
  const std::vector<CounterSlot>& slots() const { return slots_; }

  int descriptor_count() const;

  // In the order of the backends. On an error what was enabled is disabled.
  absl::Status Enable();
  // Disables everything, also after an error; the first error is returned.
  absl::Status Disable();

  // One reading a slot. Slots that are not open: NOT_SUPPORTED. Nothing is
  // allocated.
  void Read(absl::Span<RawReading> out);

  // See CounterSet::Upkeep.
  void Upkeep();
  // Of all backends, see CounterSet::Notes.
  std::vector<std::string> Notes() const;

  // Before Enable. FAILED_PRECONDITION: the events are not all counted by one
  // backend, or it has no cycle counter.
  absl::Status SetCycleLimit(CycleLimit limit);

  // Closes everything; the slots stay known.
  void Close() { sets_.clear(); }

 private:
  struct OpenSet {
    std::unique_ptr<CounterSet> set;
    size_t first_slot;
  };

  // Takes over a set whose events are those of the plan at `indices`.
  void Add(std::unique_ptr<CounterSet> set, const std::vector<int>& indices);

  std::vector<OpenSet> sets_;
  std::vector<CounterSlot> slots_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SESSION_COUNTERS_H_
