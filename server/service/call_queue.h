// call_queue.h: the completion queue of the server and its one thread.
//
// The thread blocks in Next without a time-out, so an idle agent does not wake
// up. All calls are accepted and handled on it; an answer may be sent from any
// thread.
//
// Thread-safe. Order: create with the builder, build the server, Run; shut the
// server down, then Close.
#ifndef PMU_SERVER_SERVICE_CALL_QUEUE_H_
#define PMU_SERVER_SERVICE_CALL_QUEUE_H_

#include <grpcpp/completion_queue.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace pmu::server {

class CallQueue {
 public:
  explicit CallQueue(grpc::ServerBuilder* builder);
  ~CallQueue();

  // Starts an operation, given the queue, unless the queue is closed: gRPC
  // allows none from then on. Returns whether it was started.
  bool Begin(absl::FunctionRef<void(grpc::ServerCompletionQueue*)> operation);

  // Starts the thread.
  void Run();

  // Waits for everything begun to come back, and for the thread to end.
  void Close();

 private:
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_CALL_QUEUE_H_
