#include "server/thread_sampler.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/synchronization/notification.h"
#include "absl/types/optional.h"

namespace pmu::server {

absl::StatusOr<std::unique_ptr<ThreadSampler>> ThreadSampler::Create(const ThreadRank& rank) {
  absl::StatusOr<std::unique_ptr<SleepingTimer>> timer = SleepingTimer::Create();
  if (!timer.ok()) return timer.status();
  auto sampler = absl::WrapUnique(new ThreadSampler(*std::move(timer)));
  absl::Status ranked;
  absl::Notification has_rank;
  sampler->thread_ = std::thread([&ranked, &has_rank, rank, raw = sampler.get()] {
    ranked = TakeRank(rank);
    has_rank.Notify();
    raw->Run();
  });
  has_rank.WaitForNotification();
  if (!ranked.ok()) return ranked;
  return sampler;
}

ThreadSampler::ThreadSampler(std::unique_ptr<SleepingTimer> timer)
    : clock_(SystemClock()), timer_(std::move(timer)) {}

ThreadSampler::~ThreadSampler() { Stop(); }

void ThreadSampler::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  timer_->Wake();
  if (thread_.joinable()) thread_.join();
}

void ThreadSampler::Add(std::weak_ptr<Sampled> sampled, int64_t first_ns) {
  {
    absl::MutexLock lock(&mutex_);
    added_.push_back({std::move(sampled), first_ns});
  }
  timer_->Wake();
}

bool ThreadSampler::TakeNews(std::vector<Entry>* entries) {
  absl::MutexLock lock(&mutex_);
  std::move(added_.begin(), added_.end(), std::back_inserter(*entries));
  added_.clear();
  return stopping_;
}

void ThreadSampler::Run() {
  std::vector<Entry> entries;
  while (!TakeNews(&entries)) {
    absl::optional<int64_t> first_ns;
    for (Entry& entry : entries) {
      if (entry.next_ns <= clock_.MonotonicNs()) {
        const std::shared_ptr<Sampled> sampled = entry.sampled.lock();
        entry.next_ns = sampled != nullptr ? sampled->TakeDueSample() : 0;
      }
      if (entry.next_ns != 0) first_ns = std::min(first_ns.value_or(INT64_MAX), entry.next_ns);
    }
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [](const Entry& entry) { return entry.next_ns == 0; }),
                  entries.end());
    timer_->SleepUntil(first_ns);
  }
}

}  // namespace pmu::server
