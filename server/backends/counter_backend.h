// counter_backend.h: the one narrow seam between the agent and what counts.
//
// A CounterBackend knows one way to count on this machine (perf_event, the
// registers of an interconnect). It describes its counters, resolves events
// written in perf's syntax to encodings, and opens sets of them. A CounterSet
// is a number of open counters of one session.
//
// Backends see common/ and their hardware seams, never proto or gRPC.
//
// Order: Resolve any number of times; Open with events of this backend's own
// Resolve; then on the set Enable, any number of Read, Disable, Read.
// Destroying a set stops and releases its counters and restores what it
// changed. A set must not outlive its backend.
#ifndef PMU_SERVER_BACKENDS_COUNTER_BACKEND_H_
#define PMU_SERVER_BACKENDS_COUNTER_BACKEND_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/counter_math.h"
#include "common/cpu_list.h"
#include "common/event_spec.h"

namespace pmu::server {

// The enumerations mirror proto/pmu/v1/counter.proto, which documents them.
enum class CounterKind { kDelta, kGauge };
enum class CounterDomain { kTask, kCpu, kCore, kDie, kPackage, kSystem };
enum class CombineRule { kSum, kNone };
enum class CounterCapability {
  kCascade,
  kEdge,
  kInterrupt,
  kInvert,
  kRead,
  kPrecise,
  kSystem,
  kTagging,
  kThreshold,
  kUser,
  kWrite,
};
enum class PmuHealth { kCounts, kUntested, kImplausible, kUnavailable };

// One thing that can be counted, for ListCounters.
struct CounterInfo {
  std::string name;  // as written after -e
  std::string pmu;
  std::string description;
  std::string unit;
  double scale = 1;
  int width_bits = 0;  // 0: unknown
  CounterDomain domain = CounterDomain::kCpu;
  CounterKind kind = CounterKind::kDelta;
  CombineRule combine = CombineRule::kSum;
  std::string modifiers;
  std::vector<CounterCapability> capabilities;
  absl::Status availability;  // not OK: the message says why, and what to do
  std::vector<std::string> required_terms;
  bool simulated = false;
};

struct PmuInfo {
  std::string name;
  uint32_t type = 0;
  CpuList cpus;  // empty: every CPU
  PmuHealth health = PmuHealth::kUntested;
  std::string note;
};

// See message BackendFact of host.proto.
struct BackendFact {
  std::string name;
  std::string text;
  absl::optional<double> number;
  std::string unit;
};

struct BackendInfo {
  std::string name;
  absl::Status availability;
  bool simulated = false;
  std::vector<PmuInfo> pmus;
  std::vector<BackendFact> facts;
};

// What a session counts. pid and cgroup exclude each other.
struct CounterTarget {
  CpuList cpus;  // empty: all online CPUs, or wherever the threads run
  pid_t pid = 0;
  std::string cgroup;
  // More events than counters: share the counters over time, with enabled and
  // running times that say so, instead of refusing the events that are too
  // many. Where the kernel schedules counters it does so anyway.
  bool multiplex = false;
};

// See message Encoding of counter.proto. Register backends put their event
// select into config.
struct EventEncoding {
  uint32_t type = 0;
  uint64_t config = 0;
  uint64_t config1 = 0;
  uint64_t config2 = 0;
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool exclude_hv = false;
  bool exclude_host = false;
  bool exclude_guest = false;
  bool pinned = false;
};

// One requested event on one PMU instance; see message ResolvedEvent.
struct ResolvedEvent {
  std::string text;
  std::string pmu;
  std::string pmu_family;
  EventEncoding encoding;
  std::string unit;
  double scale = 1;
  CounterDomain domain = CounterDomain::kCpu;
  CounterKind kind = CounterKind::kDelta;
  CombineRule combine = CombineRule::kSum;
  CpuList cpus;   // where it will be opened; empty: follows the task
  int group = 0;  // EventSpec::group
  bool placement_bound = false;
  // Counts from Enable to Disable whatever else runs: such events may share a
  // group also when different backends count them.
  bool never_multiplexed = false;
  bool simulated = false;
  std::vector<std::string> warnings;
};

// Where one reading comes from.
struct CounterSlot {
  int event = 0;        // index into the events given to Open
  int cpu = -1;         // -1: follows a task, or counts for the whole system
  pid_t tid = 0;        // 0: not bound to a thread
  absl::Status status;  // not OK: this slot is not open, and why
};

// Ends counting by itself after a number of clock cycles of the device.
struct CycleLimit {
  uint64_t cycles = 0;
  // Called once, from any thread, when the set has stopped counting for it.
  // Must not call the set.
  std::function<void()> on_reached;
};

// Open counters of one session in one backend.
// Thread-compatible: callers serialise (the session holds one mutex).
class CounterSet {
 public:
  virtual ~CounterSet() = default;

  // Fixed from Open on. A slot per event and CPU (or thread), also for those
  // that could not be opened.
  virtual absl::Span<const CounterSlot> slots() const = 0;

  // File descriptors the set holds.
  virtual int descriptor_count() const = 0;

  // Starts counting, from 0. Does not sleep. Errors: INTERNAL, naming the
  // system call or register.
  virtual absl::Status Enable() = 0;

  // Stops counting; counts stay readable.
  virtual absl::Status Disable() = 0;

  // Reads every counter once into `out`, in slot order (size = slots().size()).
  // Counts are cumulative since Enable, raw, widened to 64 bits. One device
  // access (for perf_event: one read(2)) per group and CPU; no allocation; does
  // not sleep. A counter that fails is a reading with its state, not an error.
  virtual void Read(absl::Span<RawReading> out) = 0;

  // Called every second or so while it counts and nobody reads: for what must
  // be noticed in time, such as a CPU that comes back.
  virtual void Upkeep() {}

  // Things to know beside the numbers that were read, found while counting:
  // "every event reads 0 while cycles run: ...". One line each.
  virtual std::vector<std::string> Notes() const { return {}; }

  // Between Open and Enable: counts for about that many cycles and then stops
  // as Disable does, so that all counters end together; what was counted, the
  // cycles too, is exact. UNIMPLEMENTED: this set has no clock to count by.
  virtual absl::Status SetCycleLimit(CycleLimit limit) {
    (void)limit;
    return absl::UnimplementedError("a limit in cycles needs a device with its own cycle counter");
  }
};

// One way to count. Thread-safe.
class CounterBackend {
 public:
  virtual ~CounterBackend() = default;

  virtual BackendInfo Describe() const = 0;

  // Everything it knows, unavailable counters too.
  virtual std::vector<CounterInfo> ListCounters() const = 0;

  // Resolves one event for a target; several results when the event lives on
  // several PMUs. Opens nothing. Errors:
  //   NOT_FOUND         not an event of this backend (the agent asks the next
  //                     one; of the last the message is shown)
  //   INVALID_ARGUMENT  the event is malformed for its PMU: token and position
  //   FAILED_PRECONDITION, UNIMPLEMENTED, PERMISSION_DENIED
  //                     known, but cannot be counted here: the session goes on
  //                     without it and shows the message as the reason
  virtual absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                             const CounterTarget& target) const = 0;

  // Opens counters, not yet counting. A single event or CPU that cannot be
  // opened is a slot with a status, not an error. Errors: NOT_FOUND no such
  // process or cgroup; RESOURCE_EXHAUSTED descriptors, with the number needed
  // and the number allowed.
  virtual absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                           const CounterTarget& target) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_COUNTER_BACKEND_H_
