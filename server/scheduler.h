// scheduler.h: runs things at given times of CLOCK_MONOTONIC.
//
// The seam between sessions, which plan starts, stops and the end of leases,
// and the thread that waits. Tests drive it by hand (fakes/fake_scheduler.h).
//
// Implementations are thread-safe.
#ifndef PMU_SERVER_SCHEDULER_H_
#define PMU_SERVER_SCHEDULER_H_

#include <cstdint>
#include <functional>

namespace pmu::server {

class Scheduler {
 public:
  using Id = uint64_t;  // never 0

  enum class Precision {
    kCoarse,  // within some milliseconds: leases
    kExact,   // as close as can be: starts and stops
  };

  virtual ~Scheduler() = default;

  // Runs `action` once, at `at_ns` or as soon as possible after it, never
  // before, from the scheduler's thread; never from within this call. Actions
  // run one after the other: they must be short.
  virtual Id At(int64_t at_ns, Precision precision, std::function<void()> action) = 0;

  // Forgets it. It may be running at this moment in another thread, so an
  // action checks whether it is still wanted.
  virtual void Cancel(Id id) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SCHEDULER_H_
