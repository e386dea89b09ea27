// descriptor_limit.h: file descriptors for a connection to every host.
#ifndef PMU_CLIENT_CLI_DESCRIPTOR_LIMIT_H_
#define PMU_CLIENT_CLI_DESCRIPTOR_LIMIT_H_

#include <cstddef>

#include "absl/status/status.h"

namespace pmu::cli {

// Raises the soft limit (RLIMIT_NOFILE) as far as `hosts` connections need.
// RESOURCE_EXHAUSTED: the hard limit is too low; says what is needed.
// Thread-hostile: changes the process.
absl::Status AllowConnections(size_t hosts);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_DESCRIPTOR_LIMIT_H_
