// intervals.h: what every host counted in one interval after the other.
//
// Agents send cumulative samples, numbered alike everywhere: number n is due n
// intervals after the common start. The assembler takes the differences of
// each host and puts those of one number together. It waits for slow hosts
// only as long as its owner lets it (GiveUp); what comes later is told then,
// as a late interval of its own: nothing that arrives is dropped.
//
// Thread-compatible.
#ifndef PMU_CLIENT_INTERVALS_H_
#define PMU_CLIENT_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "client/result.h"
#include "proto/pmu/v1/session.pb.h"

namespace pmu::client {

// One interval over the hosts: a result as of a measurement that was as long.
struct Interval {
  uint64_t number = 0;  // from 1
  // From the common start, as planned; of the last interval the real end.
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  // Told before without the hosts that are in `result` now.
  bool late = false;
  // Hosts without a sample of this number have a status that says why.
  MeasurementResult result;
};

// The samples of one host as differences.
class HostSeries {
 public:
  // `host` (its events without readings), `slots` are those of the session.
  HostSeries(const HostResult& host, std::vector<pmu::v1::CounterSlot> slots, int64_t interval_ns);

  struct Step {
    uint64_t number = 0;
    int64_t end_ns = 0;  // from the start, as planned
    HostResult result;
  };
  // The change since the sample before. `most`: no higher number can be due
  // yet. INTERNAL: the sample makes no sense.
  absl::StatusOr<Step> Take(const pmu::v1::IntervalSample& sample, uint64_t most);

 private:
  HostResult template_;
  const std::vector<pmu::v1::CounterSlot> slots_;
  const int64_t interval_ns_;
  int64_t start_ns_ = 0;  // of the host's clock
  pmu::v1::IntervalSample last_;
};

class IntervalAssembler {
 public:
  using Emit = std::function<void(const Interval&)>;

  // `result`: its hosts and requested events, readings aside; must outlive it.
  IntervalAssembler(const MeasurementResult* result, int64_t interval_ns, Emit emit);

  // Samples of one host come in order of their numbers.
  void Add(size_t host, HostSeries::Step step);
  // No more will come from this host: it has ended or is lost.
  void End(size_t host);
  // Tells all intervals up to `number` with what has come.
  void GiveUp(uint64_t number);
  // Tells the rest. Every host has ended, or is not waited for any more.
  void Finish();

 private:
  struct HostState {
    bool ended = false;
    uint64_t latest = 0;
  };
  struct Pending {
    int64_t end_ns = 0;
    std::vector<absl::optional<HostResult>> hosts;
  };

  void TellWhatIsComplete();
  void Tell(uint64_t number);
  void TellLate(HostSeries::Step step);
  HostResult Missing(size_t host, uint64_t number) const;
  Interval Empty(uint64_t number) const;

  const MeasurementResult* const result_;
  const int64_t interval_ns_;
  const Emit emit_;
  std::vector<HostState> hosts_;
  std::map<uint64_t, Pending> pending_;
  uint64_t next_ = 1;  // the first that was not told
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_INTERVALS_H_
