// measurement.h: one synchronized measurement over many hosts.
//
// Order: Create; Arm (connects, estimates clocks, opens the counters
// everywhere: a host that cannot is known before anything starts); Start
// (plans one common instant on all armed hosts and returns when it has
// passed); Finish (waits for the end, collects). Or Arm alone for a dry run.
// Destroying a Measurement ends whatever sessions it still has.
//
// The calling thread drives all network traffic; there are no other threads of
// ours. RequestStop may be called from any thread; everything else is
// thread-compatible.
//
// Example:
//   MeasurementSpec spec;
//   spec.hosts = {"board01", "board02"};
//   spec.events = "task-clock,page-faults";
//   spec.duration = absl::Seconds(5);
//   auto measurement = Measurement::Create(spec, {});
//   if (auto s = (*measurement)->Arm(); !s.ok()) return s;
//   if (auto s = (*measurement)->Start(); !s.ok()) return s;
//   Report report = Aggregate((*measurement)->Finish());
#ifndef PMU_CLIENT_MEASUREMENT_H_
#define PMU_CLIENT_MEASUREMENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/fleet.h"
#include "client/intervals.h"
#include "client/result.h"
#include "proto/pmu/v1/session.pb.h"

namespace pmu::client {

enum class Phase { kConnect, kArm, kRunning, kCollect };

struct MeasurementSpec {
  std::vector<std::string> hosts;
  // perf's syntax; checked by Create before anything is sent.
  std::string events;
  pmu::v1::Target target;
  // Unset: until RequestStop.
  absl::optional<absl::Duration> duration;
  // An agent frees everything when it has not heard of us for this long; we
  // renew at a third of it at the latest.
  absl::Duration lease = absl::Seconds(30);
  // Arm fails, and releases every host, when fewer hosts are armed.
  size_t min_hosts = 1;
  // Resolve only, see StartSessionRequest.dry_run; Start must not be called.
  bool dry_run = false;
  std::map<std::string, std::string> labels;
  // See SessionSpec.freeze_on_smi: a host that cannot do so is not armed.
  bool freeze_on_smi = false;
  // See SessionSpec.multiplex.
  bool multiplex = false;
  // Each host ends by itself after so many cycles of its counting device, see
  // SessionSpec.cycle_limit; at the latest after `duration`. 0: no limit.
  uint64_t cycle_limit = 0;
  // Above zero: samples in between, handed to `on_interval` by the driving
  // thread in order of their numbers (see intervals.h for what comes late).
  absl::Duration interval;
  std::function<void(const Interval& interval)> on_interval;
  // Instead of one made of user, machine and process: by this name a controller
  // that was started again finds its sessions.
  std::string client_id;
  // Called by the driving thread: `done` of `total` hosts are through `phase`
  // (kRunning: milliseconds of the duration, total 0 when open-ended).
  std::function<void(Phase phase, int64_t done, int64_t total)> progress;
};

class Measurement {
 public:
  // INVALID_ARGUMENT: the event string, or a host name, with token and
  // position; nothing has been contacted then.
  static absl::StatusOr<std::unique_ptr<Measurement>> Create(MeasurementSpec spec,
                                                             FleetOptions options);
  virtual ~Measurement() = default;

  // UNAVAILABLE: fewer than min_hosts could be armed (the message counts them;
  // result() says why for each). CANCELLED: RequestStop came first.
  virtual absl::Status Arm() = 0;

  // Returns once the common start instant has passed on all hosts.
  // UNAVAILABLE: fewer than min_hosts could be started.
  virtual absl::Status Start() = 0;

  // Ends the measurement: at the end of the duration, or soon after
  // RequestStop, at one common instant. Hosts lost on the way are in the
  // result with their status. Call once.
  virtual MeasurementResult Finish() = 0;

  // What is known so far: after a failed Arm, why; after a dry run, the
  // resolved events of each host.
  virtual const MeasurementResult& result() const = 0;

  // Thread-safe. `interrupted`: the user wants out (Ctrl-C), not the regular
  // end of what was measured.
  virtual void RequestStop(bool interrupted) = 0;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_MEASUREMENT_H_
