// counter_listing.h: everything perf_event knows to count on this machine.
//
// Reads the PMU registry and tracefs; where it may, tries cheaply whether the
// kernel would open an event (and closes it again, never enabled).
// Safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_LISTING_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_LISTING_H_

#include <string>
#include <vector>

#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

struct ListingContext {
  std::string root;
  const PmuRegistry* registry = nullptr;
  // nullptr: the root is not the running machine, nothing is tried and every
  // well-formed counter is listed as available.
  PerfSyscalls* probe = nullptr;
};

// Generic hardware, cache and software events, the named events of every PMU,
// and all tracepoints. One that cannot be counted is listed with the reason;
// one bad sysfs file makes one entry unavailable and no more.
std::vector<CounterInfo> ListPerfCounters(const ListingContext& context);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_COUNTER_LISTING_H_
