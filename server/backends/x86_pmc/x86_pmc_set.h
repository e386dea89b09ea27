// x86_pmc_set.h: the open counters of one session, over its CPUs.
//
// Holds its counters, and the registers they need, from Open to destruction,
// which puts the registers back. Between Enable and Disable it must be polled
// more often than a counter wraps: by its own thread, or by the owner.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_SET_H_
#define PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_SET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "server/backends/cci400/poll_thread.h"
#include "server/backends/counter_backend.h"
#include "server/backends/x86_pmc/pmc_driver.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/journal/setting_keeper.h"
#include "server/registers/counter_extender.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// One counter of a set: event `event` on the CPU it belongs to.
struct PmcSlotPlan {
  int event = 0;
  absl::Status status;  // not OK: it has no counter, and why
  PmcSetting setting;
};

// What a set has on one CPU.
struct PmcCpuPlan {
  int cpu = 0;
  std::vector<PmcSlotPlan> slots;
};

struct X86PmcSetOptions {
  const PmcModel* model = nullptr;  // not owned, as all below
  PmcDriver* driver = nullptr;
  MsrDevice* device = nullptr;
  const Clock* clock = nullptr;
  int64_t poll_interval_ns = 0;  // 0: the owner calls Poll
};

// Thread-safe.
class X86PmcSet final : public CounterSet {
 public:
  // The counters of `cpus` are prepared; `hold` (may be null) puts their
  // registers back. `released` is called at the end of destruction, after that.
  X86PmcSet(const X86PmcSetOptions& options, std::vector<PmcCpuPlan> cpus,
            std::unique_ptr<SettingKeeper::Hold> hold, std::function<void()> released);
  ~X86PmcSet() override;

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override;
  absl::Status Enable() override;
  absl::Status Disable() override;
  void Read(absl::Span<RawReading> out) override;
  std::vector<std::string> Notes() const override;

  // Takes in wraps.
  void Poll();

 private:
  struct Counter {
    int event = 0;
    bool open = false;
    PmcSetting setting;
    CounterExtender extender{64, 0};
    bool taken = false;  // somebody else has set the counter up anew
  };
  struct Cpu {
    int number = 0;
    std::vector<Counter> counters;     // one a slot
    std::vector<PmcSetting> settings;  // of those that are open
    bool lost = false;
    uint64_t tsc_at_start = 0, tsc = 0;
    int64_t started_ns = 0, sampled_ns = 0;
  };

  absl::Status StartCpu(Cpu* cpu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Sample(Cpu* cpu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SampleAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckSetup(Cpu* cpu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status StopAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  RawReading ReadingOf(const Cpu& cpu, const Counter& counter) const;

  const X86PmcSetOptions options_;
  std::unique_ptr<SettingKeeper::Hold> hold_;
  const std::function<void()> released_;
  std::vector<CounterSlot> slots_;
  mutable absl::Mutex mutex_;
  std::vector<Cpu> cpus_ ABSL_GUARDED_BY(mutex_);
  enum class State { kArmed, kCounting, kStopped } state_ ABSL_GUARDED_BY(mutex_) = State::kArmed;
  std::unique_ptr<PollThread> poll_thread_;  // of the caller of Enable and Disable
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_X86_PMC_SET_H_
