#include "server/service/call_queue.h"

#include "server/service/completion_tag.h"

namespace pmu::server {
namespace {

void Serve(grpc::ServerCompletionQueue* queue) {
  void* tag;
  bool ok;
  while (queue->Next(&tag, &ok)) static_cast<CompletionTag*>(tag)->OnEvent(ok);
}

}  // namespace

CallQueue::CallQueue(grpc::ServerBuilder* builder) : queue_(builder->AddCompletionQueue()) {}

CallQueue::~CallQueue() { Close(); }

bool CallQueue::Begin(absl::FunctionRef<void(grpc::ServerCompletionQueue*)> operation) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return false;
  operation(queue_.get());
  return true;
}

void CallQueue::Run() {
  thread_ = std::thread([this] { Serve(queue_.get()); });
}

void CallQueue::Close() {
  {
    absl::MutexLock lock(&mutex_);
    if (closed_) return;
    closed_ = true;
    queue_->Shutdown();
  }
  if (thread_.joinable()) {
    thread_.join();
  } else {
    Serve(queue_.get());  // what was begun before Run
  }
}

}  // namespace pmu::server
