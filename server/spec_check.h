// spec_check.h: requests from the wire, checked against every limit.
//
// Requests are hostile: whatever passes here is within limits.h and parsed.
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_SPEC_CHECK_H_
#define PMU_SERVER_SPEC_CHECK_H_

#include "absl/status/statusor.h"
#include "proto/pmu/v1/service.pb.h"
#include "server/limits.h"
#include "server/session_spec.h"

namespace pmu::server {

// INVALID_ARGUMENT: names the field or token and what it may be;
// RESOURCE_EXHAUSTED: too many events, from the parser.
absl::StatusOr<StartRequest> CheckStartRequest(const pmu::v1::StartSessionRequest& request,
                                               const Limits& limits);

}  // namespace pmu::server

#endif  // PMU_SERVER_SPEC_CHECK_H_
