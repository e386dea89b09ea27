// fake_backend.h: a CounterBackend without hardware. Tests only.
//
// Knows the events it is told, counts up by 100 at every Read, and keeps a log
// of what was done to it.
#ifndef PMU_TESTS_FAKES_FAKE_BACKEND_H_
#define PMU_TESTS_FAKES_FAKE_BACKEND_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/backends/counter_backend.h"

namespace pmu::server {

// Thread-safe.
class FakeBackend final : public CounterBackend {
 public:
  explicit FakeBackend(std::string name = "fake");

  // An event that resolves, with one slot on each of `cpus`.
  void AddEvent(const std::string& name, CpuList cpus = {0, 1});
  // An event whose Resolve gives this error.
  void AddBroken(const std::string& name, absl::Status error);
  // An event that resolves, but of which no slot opens.
  void AddUnopenable(const std::string& name, absl::Status error);
  // For as long as set, Open, Enable or Disable give this error.
  void set_open_error(absl::Status error);
  void set_enable_error(absl::Status error);
  void set_disable_error(absl::Status error);

  // From the next Resolve on, see ResolvedEvent::never_multiplexed.
  void set_never_multiplexed(bool never) { never_multiplexed_ = never; }

  // Sets that are open now, and what happened: "open 2", "enable", "read",
  // "disable", "close".
  int open_sets() const;
  std::vector<std::string> log() const;

  BackendInfo Describe() const override;
  std::vector<CounterInfo> ListCounters() const override;
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& event,
                                                     const CounterTarget& target) const override;
  absl::StatusOr<std::unique_ptr<CounterSet>> Open(absl::Span<const ResolvedEvent> events,
                                                   const CounterTarget& target) override;

 private:
  class Set;

  struct Event {
    CpuList cpus;
    absl::Status resolve_error;
    absl::Status open_error;
  };

  void Note(const std::string& what);

  const std::string name_;
  bool never_multiplexed_ = false;
  mutable absl::Mutex mutex_;
  std::map<std::string, Event> events_ ABSL_GUARDED_BY(mutex_);
  absl::Status open_error_ ABSL_GUARDED_BY(mutex_);
  absl::Status enable_error_ ABSL_GUARDED_BY(mutex_);
  absl::Status disable_error_ ABSL_GUARDED_BY(mutex_);
  int open_sets_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> log_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_BACKEND_H_
