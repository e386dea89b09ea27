// host_info.h: the answer of GetHost.
//
// Thread-safe.
#ifndef PMU_SERVER_HOST_INFO_H_
#define PMU_SERVER_HOST_INFO_H_

#include <string>

#include "absl/types/span.h"
#include "common/clock.h"
#include "proto/pmu/v1/host.pb.h"
#include "server/backends/counter_backend.h"
#include "server/limits.h"

namespace pmu::server {

struct HostInfoSource {
  std::string sysfs_root;  // "" is the live machine
  std::string agent_instance;
  absl::Span<CounterBackend* const> backends;
  Limits limits;
  const Clock* clock;
};

// Reads a dozen small files.
void FillHost(const HostInfoSource& source, pmu::v1::Host* out);

}  // namespace pmu::server

#endif  // PMU_SERVER_HOST_INFO_H_
