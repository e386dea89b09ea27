// A bare gRPC server in the agent's style: one completion queue, one thread, and
// Read answered with the same bytes every time. What Read costs an agent above
// this is the agent's.
//
//   echo_agent BYTES      prints its port
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/async_unary_call.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "proto/pmu/v1/service.grpc.pb.h"

namespace {

using pmu::v1::PmuService;

// One call after the other on the same object, as the agent does.
class Call {
 public:
  Call(PmuService::AsyncService* service, grpc::ServerCompletionQueue* queue,
       const pmu::v1::ReadResponse* answer)
      : service_(service), queue_(queue), answer_(answer) {
    Listen();
  }

  void OnEvent(bool ok) {
    if (!ok) return;
    if (!accepted_) {
      accepted_ = true;
      writer_->Finish(*answer_, grpc::Status::OK, this);
    } else {
      Listen();
    }
  }

 private:
  void Listen() {
    accepted_ = false;
    writer_.reset();
    context_.emplace();
    writer_.emplace(&*context_);
    service_->RequestRead(&*context_, &request_, &*writer_, queue_, queue_, this);
  }

  PmuService::AsyncService* const service_;
  grpc::ServerCompletionQueue* const queue_;
  const pmu::v1::ReadResponse* const answer_;
  std::optional<grpc::ServerContext> context_;
  std::optional<grpc::ServerAsyncResponseWriter<pmu::v1::ReadResponse>> writer_;
  pmu::v1::ReadRequest request_;
  bool accepted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const size_t bytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 128;
  pmu::v1::ReadResponse answer;
  while (answer.ByteSizeLong() < bytes) answer.mutable_sample()->add_raw_count(100);
  PmuService::AsyncService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::printf("%d\n", port);
  std::fflush(stdout);
  Call one(&service, queue.get(), &answer);
  Call two(&service, queue.get(), &answer);
  void* tag;
  bool ok;
  while (queue->Next(&tag, &ok)) static_cast<Call*>(tag)->OnEvent(ok);
  return 0;
}
