// free_running_set.h: APERF, MPERF and SMI counts of some CPUs for one session.
//
// Nothing is written: the registers run on whoever looks. A count is the
// difference to the register at Enable.
#ifndef PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_SET_H_
#define PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_SET_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "server/backends/aperf_mperf/pair_reader.h"
#include "server/backends/counter_backend.h"
#include "server/registers/msr_device.h"

namespace pmu::server {

// An open event: `encoding.config` of a resolved event is the register,
// `encoding.config1` is 1 for its raw contents.
//
// Thread-compatible: callers serialise.
class FreeRunningSet final : public CounterSet {
 public:
  // Reads every register once; one that cannot be read is a slot with its
  // status. `device` and `clock` are not owned and must outlive this.
  FreeRunningSet(absl::Span<const ResolvedEvent> events, MsrDevice* device, const Clock* clock);

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override { return 0; }  // shared with all sessions
  absl::Status Enable() override;
  absl::Status Disable() override;
  void Read(absl::Span<RawReading> out) override;
  std::vector<std::string> Notes() const override;

 private:
  // What the session counts on one CPU.
  struct Cpu {
    int number = 0;
    bool wants_mperf = false, wants_aperf = false, wants_smi = false;
    bool lost = false;  // went offline; the counts stay as they were
    PairSample pair_at_start, pair;
    uint64_t smi_at_start = 0, smi = 0;
    int64_t started_ns = 0, sampled_ns = 0;
    bool too_slow = false;  // of the last sample: the pair is no pair
  };
  struct Slot {
    size_t cpu;  // into cpus_
    uint32_t address;
    bool raw;
  };

  void AddEvent(const ResolvedEvent& event, int index, std::map<int, size_t>* cpu_indices);
  absl::Status Sample(Cpu* cpu);
  void SampleAll();
  RawReading ReadingOf(const Slot& slot) const;

  MsrDevice* const device_;
  const Clock* const clock_;
  std::vector<CounterSlot> slots_;
  std::vector<Slot> sources_;  // one a slot
  std::vector<Cpu> cpus_;
  enum class State { kArmed, kCounting, kStopped } state_ = State::kArmed;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_APERF_MPERF_FREE_RUNNING_SET_H_
