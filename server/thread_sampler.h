// thread_sampler.h: a Sampler with one thread and a timerfd.
//
// The thread sleeps until the first sample is due, and for ever when none is.
// It is woken by the kernel's timer and does not watch the clock: at a thousand
// samples a second that would cost more than the samples.
//
// Thread-safe. The destructor stops the thread.
#ifndef PMU_SERVER_THREAD_SAMPLER_H_
#define PMU_SERVER_THREAD_SAMPLER_H_

#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "server/sampler.h"
#include "server/sleeping_timer.h"
#include "server/thread_rank.h"

namespace pmu::server {

class ThreadSampler final : public Sampler {
 public:
  // Errors: those of timerfd_create(2), eventfd(2), and of the rank where it
  // was asked for.
  static absl::StatusOr<std::unique_ptr<ThreadSampler>> Create(const ThreadRank& rank);
  ~ThreadSampler() override;

  void Add(std::weak_ptr<Sampled> sampled, int64_t first_ns) override;

  // Ends the thread and waits for a sample under way. Idempotent.
  void Stop();

 private:
  struct Entry {
    std::weak_ptr<Sampled> sampled;
    int64_t next_ns;
  };

  explicit ThreadSampler(std::unique_ptr<SleepingTimer> timer);
  void Run();
  // Takes over what was added; true: the thread is to end.
  bool TakeNews(std::vector<Entry>* entries);

  const Clock& clock_;
  const std::unique_ptr<SleepingTimer> timer_;
  absl::Mutex mutex_;
  std::vector<Entry> added_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_THREAD_SAMPLER_H_
