// tracepoint.h: the numbers of the kernel's tracepoints, from tracefs.
//
// ROOT/sys/kernel/tracing, or ROOT/sys/kernel/debug/tracing where only debugfs
// is mounted. Nothing is mounted here: where tracefs is missing the error says
// how to mount it.
//
// Safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_TRACEPOINT_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_TRACEPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// The "events" directory of tracefs. FAILED_PRECONDITION: not mounted;
// PERMISSION_DENIED: not readable by this user.
absl::StatusOr<std::string> FindTracepointDirectory(absl::string_view root);

// The id of SYSTEM:EVENT, which is the config of its perf event. Errors of
// FindTracepointDirectory; NOT_FOUND: no such tracepoint.
absl::StatusOr<uint64_t> ReadTracepointId(absl::string_view root, absl::string_view system,
                                          absl::string_view event);

// All, as "system:event", sorted. Errors of FindTracepointDirectory.
absl::StatusOr<std::vector<std::string>> ListTracepoints(absl::string_view root);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_TRACEPOINT_H_
