// fake_sampler.h: a Sampler driven by hand, on a FakeClock. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_SAMPLER_H_
#define PMU_TESTS_FAKES_FAKE_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "server/sampler.h"
#include "tests/fakes/fake_clock.h"

namespace pmu::server {

// For one session. Thread-compatible.
class FakeSampler final : public Sampler {
 public:
  // `clock` must outlive it.
  explicit FakeSampler(FakeClock* clock) : clock_(clock) {}

  void Add(std::weak_ptr<Sampled> sampled, int64_t first_ns) override {
    sampled_ = std::move(sampled);
    next_ns_ = first_ns;
  }

  // When it wants to be asked next; 0: never.
  int64_t next_ns() const { return next_ns_; }

  // Moves the clock to the next sample, and `late_ns` beyond, and takes it.
  void TakeNext(int64_t late_ns = 0) {
    clock_->Advance(next_ns_ + late_ns - clock_->MonotonicNs());
    const std::shared_ptr<Sampled> sampled = sampled_.lock();
    next_ns_ = sampled != nullptr ? sampled->TakeDueSample() : 0;
  }

 private:
  FakeClock* const clock_;
  std::weak_ptr<Sampled> sampled_;
  int64_t next_ns_ = 0;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_SAMPLER_H_
