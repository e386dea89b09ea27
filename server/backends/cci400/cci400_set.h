// cci400_set.h: the open counters of one session on a CCI-400.
//
// Holds the device's counters from Open to its destruction, which puts every
// register back. Between Enable and Disable it must be polled more often than
// a counter wraps: by its own thread, or by the owner (poll_interval_ns 0).
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_SET_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_SET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "common/clock.h"
#include "server/backends/cci400/cci400_counters.h"
#include "server/backends/cci400/poll_thread.h"
#include "server/backends/cci400/slice_plan.h"
#include "server/backends/counter_backend.h"
#include "server/registers/mmio_region.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

// How a set counts; part of Cci400Options.
struct Cci400SetOptions {
  MmioRegion* region = nullptr;
  const Clock* clock = nullptr;
  RestoreJournal* journal = nullptr;  // may be null
  std::string journal_device;         // its name in the journal
  uint64_t max_clock_hz = 0;
  int64_t poll_interval_ns = 0;  // 0: the owner calls Poll
  int64_t slice_ns = 0;          // of time-shared events
  bool share = false;            // CounterTarget::multiplex
  bool take_over = false;
};

// Thread-safe.
class Cci400Set final : public CounterSet {
 public:
  // Saves and journals the registers. `events` are resolved ones; `released`
  // is called at the end of destruction. What `options` points to must outlive
  // the set. On an error `released` is not called. FAILED_PRECONDITION:
  // somebody else counts; UNAVAILABLE: the journal cannot be written.
  static absl::StatusOr<std::unique_ptr<Cci400Set>> Open(absl::Span<const ResolvedEvent> events,
                                                         const Cci400SetOptions& options,
                                                         std::function<void()> released);
  ~Cci400Set() override;

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override;
  absl::Status Enable() override;
  absl::Status Disable() override;
  void Read(absl::Span<RawReading> out) override;
  std::vector<std::string> Notes() const override;
  absl::Status SetCycleLimit(CycleLimit limit) override;

  // Takes in wraps, ends slices of time-shared events, watches the limit.
  // Returns after how many nanoseconds to call again; negative: it has stopped
  // counting.
  int64_t Poll();

 private:
  struct Event {
    uint32_t select = 0;
    bool is_cycles = false;
    uint64_t count = 0;      // of slices that are over
    int64_t running_ns = 0;  // of slices that are over
    int counter = -1;        // in this slice; -1: not counting
    bool has_run = false;
    bool overflow_suspected = false;
  };

  Cci400Set(absl::Span<const ResolvedEvent> events, const Cci400SetOptions& options,
            Cci400Counters counters, std::function<void()> released);
  void FillSlots() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status StartSlice() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status EndSlice() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status StopCounting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fail(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckSetup() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  RawReading ReadingOf(const Event& event, int64_t now_ns) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t CyclesSoFar() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t NextPollNs(int64_t now_ns) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool LimitReached() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RestoreRegisters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Cci400SetOptions options_;
  const std::function<void()> released_;
  std::vector<CounterSlot> slots_;
  std::vector<RestoreStep> restore_steps_;
  absl::optional<RestoreJournal::Ticket> ticket_;

  mutable absl::Mutex mutex_;
  Cci400Counters counters_ ABSL_GUARDED_BY(mutex_);
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
  std::vector<size_t> shared_events_;  // those that need an event counter
  SlicePlan plan_ ABSL_GUARDED_BY(mutex_);
  bool counting_ ABSL_GUARDED_BY(mutex_) = false;
  bool ever_enabled_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t enabled_at_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t enabled_ns_ ABSL_GUARDED_BY(mutex_) = 0;  // up to the last Disable
  int64_t slice_began_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t cycles_ ABSL_GUARDED_BY(mutex_) = 0;  // of slices that are over
  int64_t cycles_running_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  CycleLimit limit_ ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<PollThread> poll_thread_;  // of the caller of Enable and Disable
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_SET_H_
