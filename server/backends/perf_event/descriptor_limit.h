// descriptor_limit.h: room for one file descriptor per counter and CPU.
//
// The soft RLIMIT_NOFILE is often 1024 while a session on a big machine needs
// many thousands; it is raised to the hard limit when that is what it takes.
//
// Thread-safe as far as setrlimit(2) is: the limit only ever grows.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_DESCRIPTOR_LIMIT_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_DESCRIPTOR_LIMIT_H_

#include <cstdint>

#include "absl/status/status.h"

namespace pmu::server {

// Descriptors never given to counters, so that the agent can still accept
// connections and open files.
inline constexpr uint64_t kReservedDescriptors = 16;

struct DescriptorUse {
  uint64_t soft_limit = 0;
  uint64_t hard_limit = 0;
  uint64_t in_use = 0;
};

// This process now. Errors: INTERNAL.
absl::Status ReadDescriptorUse(DescriptorUse* use);

// Whether `needed` more fit below `limit`, the reserve kept.
bool DescriptorsFit(uint64_t needed, uint64_t in_use, uint64_t limit);

// "needs N file descriptors, but only M are free: ..." RESOURCE_EXHAUSTED.
absl::Status OutOfDescriptors(uint64_t needed, const DescriptorUse& use);

// Makes room for `needed` more, raising the soft limit if that helps.
// RESOURCE_EXHAUSTED with the number needed and the number allowed.
absl::Status ReserveDescriptors(uint64_t needed);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_DESCRIPTOR_LIMIT_H_
