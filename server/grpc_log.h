// grpc_log.h: gRPC's own messages, in the agent's log.
#ifndef PMU_SERVER_GRPC_LOG_H_
#define PMU_SERVER_GRPC_LOG_H_

namespace pmu::server {

// From now on what gRPC has to say goes through log.h. Errors of gRPC are
// warnings here: it reports refused and broken connections as errors.
void TakeOverGrpcLog();

}  // namespace pmu::server

#endif  // PMU_SERVER_GRPC_LOG_H_
