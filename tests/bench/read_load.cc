// Calls Read of an agent, or of echo_agent, over and over.
//
//   read_load HOST COUNT [EVENTS]    prints "p50_ns p99_ns bytes"
//
// With EVENTS a session is started first; without it is an echo_agent.
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "proto/pmu/v1/service.grpc.pb.h"

namespace {

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Require(const grpc::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "read_load: %s\n", status.error_message().c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto stub = pmu::v1::PmuService::NewStub(
      grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials()));
  const auto count = static_cast<size_t>(std::atoi(argv[2]));
  pmu::v1::ReadRequest request;
  if (argc > 3) {
    grpc::ClientContext context;
    pmu::v1::StartSessionRequest start;
    start.mutable_spec()->set_events(argv[3]);
    start.set_start_now(true);
    pmu::v1::StartSessionResponse started;
    Require(stub->StartSession(&context, start, &started));
    request.set_session_id(started.session().id());
  }
  std::vector<int64_t> times;
  size_t bytes = 0;
  pmu::v1::ReadResponse response;
  for (size_t i = 0; i < count; ++i) {
    grpc::ClientContext context;
    const int64_t begin_ns = NowNs();
    Require(stub->Read(&context, request, &response));
    times.push_back(NowNs() - begin_ns);
    bytes = response.ByteSizeLong();
  }
  std::sort(times.begin(), times.end());
  std::printf("%lld %lld %zu\n", static_cast<long long>(times[count / 2]),
              static_cast<long long>(times[count * 99 / 100]), bytes);
  if (argc > 3) {
    grpc::ClientContext context;
    pmu::v1::StopRequest stop;
    stop.set_session_id(request.session_id());
    pmu::v1::StopResponse stopped;
    Require(stub->Stop(&context, stop, &stopped));
  }
  return 0;
}
