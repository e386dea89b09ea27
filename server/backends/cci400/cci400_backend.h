// cci400_backend.h: counts what passes an Arm CoreLink CCI-400 interconnect,
// through its registers.
//
// Four event counters and a cycle counter for the whole system; no CPU, no
// process. Where Linux drives the counters itself (a PMU CCI_400*), that is
// preferred and this backend says that the kernel holds them. One session at a
// time. docs/cci400.md is the user's page.
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_BACKEND_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_BACKEND_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "server/backends/cci400/cci400_events.h"
#include "server/backends/cci400/cci400_resolver.h"
#include "server/backends/cci400/cci400_set.h"
#include "server/backends/counter_backend.h"
#include "server/registers/guarded_mmio_region.h"
#include "server/registers/mmio_region.h"
#include "server/registers/register_access.h"
#include "server/registers/restore_journal.h"

namespace pmu::server {

struct Cci400Options {
  // The 64 KiB view; not owned, outlives the backend. Null: there is none, and
  // `region_status` says why.
  MmioRegion* region = nullptr;
  absl::Status region_status;
  bool simulated = false;
  // Put before /sys, where the kernel's own PMU is looked for (not when
  // simulated: then the kernel cannot hold the registers).
  std::string root;
  Cci400InterfaceNames interface_names;
  // Use the counters even if somebody else has them running.
  bool take_over = false;
  RestoreJournal* journal = nullptr;  // not owned; null: nothing survives a crash
  const Clock* clock = &SystemClock();
  RegisterAccessObserver observer;  // hears of every access, in order
  // No CCI-400 runs faster; 1 GHz wraps a counter every 4.3 s.
  uint64_t max_clock_hz = 1'000'000'000;
  int64_t poll_interval_ns = 1'000'000'000;  // 0: no thread, the owner polls the set
  int64_t slice_ns = 100'000'000;            // of time-shared events
};

// Thread-safe. Every access goes through Cci400AllowList().
class Cci400Backend final : public CounterBackend, public RestoreTarget {
 public:
  // Reads the revision; writes nothing.
  explicit Cci400Backend(Cci400Options options);

  BackendInfo Describe() const override;
  std::vector<CounterInfo> ListCounters() const override;
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                     const CounterTarget& target) const override;
  absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                   const CounterTarget& target) override;

  // Replays a step of the journal, of the device "cci400".
  absl::Status Restore(const RestoreStep& step) override;

 private:
  // Looks at the device: is it one, and which?
  absl::Status Identify();
  // OK: can be counted with now.
  absl::Status Availability() const;
  CounterInfo CyclesInfo() const;
  CounterInfo EventInfo(const Cci400Event& event) const;

  const Cci400Options options_;
  std::unique_ptr<GuardedMmioRegion> guard_;  // null without a region
  absl::Status identified_;
  Cci400Revision revision_ = Cci400Revision::kR1;
  std::atomic<bool> in_use_{false};
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_BACKEND_H_
