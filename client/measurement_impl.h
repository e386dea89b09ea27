// measurement_impl.h: how Measurement does it. Not for embedders.
//
// Owns one event loop, one HostSession per host and the result they fill in.
#ifndef PMU_CLIENT_MEASUREMENT_IMPL_H_
#define PMU_CLIENT_MEASUREMENT_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/admission.h"
#include "client/event_loop.h"
#include "client/host_session.h"
#include "client/intervals.h"
#include "client/measurement.h"

namespace pmu::client {

class MeasurementImpl final : public Measurement {
 public:
  // What Create checked: the texts of the events, and valid hosts.
  MeasurementImpl(MeasurementSpec spec, FleetOptions options, std::vector<std::string> events);
  ~MeasurementImpl() override;

  // Makes the sessions; INVALID_ARGUMENT for a host name.
  absl::Status Connect();

  absl::Status Arm() override;
  absl::Status Start() override;
  MeasurementResult Finish() override;
  const MeasurementResult& result() const override { return result_; }
  void RequestStop(bool interrupted) override;

 private:
  bool StopRequested() const { return stop_requested_.load(); }
  size_t CountSessions(bool (HostSession::*predicate)() const) const;
  void Report(Phase phase, int64_t done, int64_t total) const;
  void ReportRunning();
  // Hosts that were still on their way get `status`; all sessions end.
  void RefineClocks();
  absl::Status GiveUp(absl::Status status);
  void ReleaseAll(absl::Duration limit);
  // How far ahead an instant must lie for a message to reach all hosts first.
  absl::Duration Lead(absl::Duration at_least) const;
  int64_t WorstClockErrorNs() const;
  // Drives the loop until the duration is over or a stop is asked for; returns
  // the instant at which all hosts end.
  int64_t WaitForEnd();
  // For hosts that end by themselves before it.
  int64_t LatestEnd() const;
  void WatchAll();
  // Tells interval `number` in any case, when hosts had time enough for it.
  void GiveUpLater(uint64_t number);
  // Waits for the last interval samples, for a while.
  void EndIntervals();
  void CollectAll(int64_t stop_ns);
  void ComputeSkew();

  const MeasurementSpec spec_;
  const FleetOptions options_;
  HostSessionPlan plan_;
  MeasurementResult result_;
  std::atomic<bool> stop_requested_{false};
  std::atomic<bool> interrupt_requested_{false};
  bool released_ = false;
  int64_t start_ns_ = 0;       // planned; our clock; 0: not started
  int64_t stop_ns_ = 0;        // planned; 0: open
  size_t reached_count_ = 0;   // hosts through kConnect
  size_t armed_count_ = 0;     // hosts through kArm
  size_t answered_count_ = 0;  // of the step under way

  // The order matters: sessions go before the loop.
  EventLoop loop_;
  Admission admission_;
  ClockBurstGate clock_gate_;
  HostSessionCounts counts_;
  std::unique_ptr<IntervalAssembler> assembler_;  // null: no intervals
  std::vector<std::unique_ptr<HostSession>> sessions_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_MEASUREMENT_IMPL_H_
