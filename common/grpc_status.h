// grpc_status.h: the one place where absl::Status and grpc::Status meet.
//
// The two share their code numbers. Safe to call from any thread.
#ifndef PMU_COMMON_GRPC_STATUS_H_
#define PMU_COMMON_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace pmu {

grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace pmu

#endif  // PMU_COMMON_GRPC_STATUS_H_
