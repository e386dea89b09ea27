// grpc_time.h: our monotonic nanoseconds as gRPC's time type.
//
// gRPC's usual deadlines are std::chrono::system_clock and move when the wall
// clock is set; these do not. Pure; safe from any thread.
#ifndef PMU_CLIENT_GRPC_TIME_H_
#define PMU_CLIENT_GRPC_TIME_H_

#include <grpc/support/time.h>

#include <cstdint>

namespace pmu::client {

inline gpr_timespec MonotonicTimespec(int64_t monotonic_ns) {
  gpr_timespec time;
  time.tv_sec = monotonic_ns / 1'000'000'000;
  time.tv_nsec = static_cast<int32_t>(monotonic_ns % 1'000'000'000);
  time.clock_type = GPR_CLOCK_MONOTONIC;
  return time;
}

}  // namespace pmu::client

#endif  // PMU_CLIENT_GRPC_TIME_H_
