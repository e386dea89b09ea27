// sampler.h: takes interval samples when they are due.
//
// The seam between sessions, which know when their next sample is due, and the
// thread that waits. Apart from the scheduler on purpose: that one watches the
// clock ahead of exact times and may be busy opening or closing counters.
//
// Implementations are thread-safe.
#ifndef PMU_SERVER_SAMPLER_H_
#define PMU_SERVER_SAMPLER_H_

#include <cstdint>
#include <memory>

namespace pmu::server {

class Sampled {
 public:
  virtual ~Sampled() = default;
  // Takes the sample that is due, if one is, and returns when to ask again; 0:
  // never. From the sampler's thread; must not allocate or sleep.
  virtual int64_t TakeDueSample() = 0;
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Asks `sampled` from `first_ns` on, as soon as possible after each time it
  // names, until it says never or is destroyed.
  virtual void Add(std::weak_ptr<Sampled> sampled, int64_t first_ns) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SAMPLER_H_
