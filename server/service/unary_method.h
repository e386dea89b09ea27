// unary_method.h: one unary RPC on a CallQueue.
//
// A UnaryMethod keeps a call listening at all times. Calls are used again with
// their messages, so a method that is polled allocates next to nothing once
// its messages have grown to size.
//
// Thread-compatible: everything but UnaryCall::Finish is for the serving
// thread. A method must outlive the closing of its queue.
#ifndef PMU_SERVER_SERVICE_UNARY_METHOD_H_
#define PMU_SERVER_SERVICE_UNARY_METHOD_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/grpc_status.h"
#include "server/log.h"
#include "server/service/call_queue.h"
#include "server/service/completion_tag.h"

namespace pmu::server {

template <class Request, class Response>
class UnaryMethod;

// One call under way. Handed to the method's handler, which calls Finish once,
// then or later and from any thread, and leaves the call alone afterwards.
template <class Request, class Response>
class UnaryCall final : public CompletionTag {
 public:
  const Request& request() const { return request_; }
  Response* response() { return &response_; }
  std::string peer() const { return context_->peer(); }

  void Finish(const absl::Status& status);

  // For methods that watch for cancelling: runs on the serving thread when the
  // client is gone, or the call is over. Must be set within the handler.
  void set_on_done(std::function<void(bool cancelled)> on_done) { on_done_ = std::move(on_done); }

 private:
  friend class UnaryMethod<Request, Response>;
  using Method = UnaryMethod<Request, Response>;

  // The second event of calls that watch for cancelling.
  struct DoneTag final : CompletionTag {
    explicit DoneTag(UnaryCall* owner) : call(owner) {}
    void OnEvent(bool) override {
      if (call->on_done_) call->on_done_(call->context_->IsCancelled());
      call->Release();
    }
    UnaryCall* const call;
  };

  explicit UnaryCall(Method* method) : method_(method), done_tag_(this) {}

  void Listen();
  void OnEvent(bool ok) override;
  void Release();

  Method* const method_;
  std::optional<grpc::ServerContext> context_;
  std::optional<grpc::ServerAsyncResponseWriter<Response>> writer_;
  Request request_;
  Response response_;
  bool accepted_ = false;
  int events_to_come_ = 0;
  std::function<void(bool)> on_done_;
  DoneTag done_tag_;
};

template <class Request, class Response>
class UnaryMethod {
 public:
  using Call = UnaryCall<Request, Response>;
  // Asks gRPC for the next call: `service.RequestX(...)`.
  using Accept =
      std::function<void(grpc::ServerContext*, Request*, grpc::ServerAsyncResponseWriter<Response>*,
                         grpc::ServerCompletionQueue*, void* tag)>;
  using Handler = std::function<void(Call*)>;

  enum class Cancelling { kIgnored, kWatched };

  UnaryMethod(const char* name, CallQueue* queue, Accept accept, Handler handler,
              Cancelling cancelling = Cancelling::kIgnored)
      : name_(name),
        queue_(queue),
        accept_(std::move(accept)),
        handler_(std::move(handler)),
        cancelling_(cancelling) {}
  UnaryMethod(const UnaryMethod&) = delete;
  UnaryMethod& operator=(const UnaryMethod&) = delete;

  // To be called once, when the server is built.
  void Listen() {
    ++listening_;
    (new Call(this))->Listen();  // owns itself until the queue gives it back
  }

 private:
  friend Call;

  // Finished calls above this number of listening ones are not kept.
  static constexpr int kMaxListening = 8;
  // Nor are those with larger messages, as sent.
  static constexpr size_t kMaxKeptBytes = 256 * 1024;

  const char* const name_;
  CallQueue* const queue_;
  const Accept accept_;
  const Handler handler_;
  const Cancelling cancelling_;
  int listening_ = 0;
};

template <class Request, class Response>
void UnaryCall<Request, Response>::Listen() {
  accepted_ = false;
  on_done_ = nullptr;
  request_.Clear();
  response_.Clear();
  writer_.reset();
  context_.emplace();
  writer_.emplace(&*context_);
  if (method_->cancelling_ == Method::Cancelling::kWatched)
    context_->AsyncNotifyWhenDone(&done_tag_);
  const bool begun = method_->queue_->Begin([this](grpc::ServerCompletionQueue* queue) {
    method_->accept_(&*context_, &request_, &*writer_, queue, this);
  });
  if (!begun) delete this;
}

template <class Request, class Response>
void UnaryCall<Request, Response>::OnEvent(bool ok) {
  if (accepted_) {
    Release();
    return;
  }
  --method_->listening_;
  if (!ok) {  // the server stops
    delete this;
    return;
  }
  accepted_ = true;
  events_to_come_ = method_->cancelling_ == Method::Cancelling::kWatched ? 2 : 1;
  if (method_->listening_ == 0) method_->Listen();
  method_->handler_(this);
}

template <class Request, class Response>
void UnaryCall<Request, Response>::Finish(const absl::Status& status) {
  if (LogEnabled(LogLevel::kDebug)) {
    Log(LogLevel::kDebug, absl::StrCat(method_->name_, " from ", peer(), ": ",
                                       status.ok() ? "OK" : status.ToString()));
  }
  if (status.ok()) {
    writer_->Finish(response_, grpc::Status::OK, this);
  } else {
    writer_->FinishWithError(ToGrpcStatus(status), this);
  }
}

template <class Request, class Response>
void UnaryCall<Request, Response>::Release() {
  if (--events_to_come_ > 0) return;
  // The response was measured when it was sent.
  const bool keep = method_->listening_ < Method::kMaxListening &&
                    request_.ByteSizeLong() + response_.GetCachedSize() < Method::kMaxKeptBytes;
  if (!keep) {
    delete this;
    return;
  }
  ++method_->listening_;
  Listen();
}

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_UNARY_METHOD_H_
