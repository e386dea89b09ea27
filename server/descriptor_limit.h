// descriptor_limit.h: how many files the agent may have open.
#ifndef PMU_SERVER_DESCRIPTOR_LIMIT_H_
#define PMU_SERVER_DESCRIPTOR_LIMIT_H_

#include "absl/status/statusor.h"

namespace pmu::server {

// Descriptors the agent needs beside counters: connections, its own files.
inline constexpr int kAgentDescriptors = 64;

// Raises the soft limit (RLIMIT_NOFILE, getrlimit(2)) of this process to the
// hard one and returns how many are left for counters; at least 1. Call once,
// before threads start. Errors from errno.
absl::StatusOr<int> RaiseDescriptorLimit();

}  // namespace pmu::server

#endif  // PMU_SERVER_DESCRIPTOR_LIMIT_H_
