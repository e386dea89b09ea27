#include "client/grpc_watch_stream.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <utility>

#include "absl/time/time.h"
#include "common/grpc_status.h"

namespace pmu::client {
namespace {

// Lives until its last operation has come back, also after its owner is gone.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(RpcErrorContext errors, std::function<void(const pmu::v1::WatchResponse&)> on_message,
         std::function<void(const absl::Status&)> on_end)
      : errors_(std::move(errors)),
        on_message_(std::move(on_message)),
        on_end_(std::move(on_end)) {}

  void Start(EventLoop* loop, pmu::v1::PmuService::Stub* stub,
             const pmu::v1::WatchRequest& request) {
    reader_ = stub->PrepareAsyncWatch(&context_, request, loop->queue());
    reader_->StartCall(Next(&Stream::OnStarted));
  }

  void Abandon() {
    abandoned_ = true;
    context_.TryCancel();
  }

 private:
  // One operation in the completion queue, which keeps the stream alive.
  class Operation final : public EventLoop::Operation {
   public:
    Operation(std::shared_ptr<Stream> stream, void (Stream::*then)(bool))
        : stream_(std::move(stream)), then_(then) {}
    void Complete(bool ok) override { ((*stream_).*then_)(ok); }

   private:
    const std::shared_ptr<Stream> stream_;
    void (Stream::*const then_)(bool);
  };

  void* Next(void (Stream::*then)(bool)) {
    return static_cast<EventLoop::Operation*>(new Operation(shared_from_this(), then));
  }

  void OnStarted(bool ok) {
    if (ok) {
      reader_->Read(&message_, Next(&Stream::OnRead));
    } else {
      reader_->Finish(&status_, Next(&Stream::OnFinished));
    }
  }

  void OnRead(bool ok) {
    if (ok && !abandoned_) on_message_(message_);
    OnStarted(ok);
  }

  void OnFinished(bool) {
    if (abandoned_) return;
    on_end_(status_.ok()
                ? absl::OkStatus()
                : ExplainRpcError(FromGrpcStatus(status_), absl::InfiniteDuration(), errors_));
  }

  const RpcErrorContext errors_;
  const std::function<void(const pmu::v1::WatchResponse&)> on_message_;
  const std::function<void(const absl::Status&)> on_end_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReader<pmu::v1::WatchResponse>> reader_;
  pmu::v1::WatchResponse message_;
  grpc::Status status_;
  bool abandoned_ = false;
};

class Handle final : public WatchStream {
 public:
  explicit Handle(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  ~Handle() override { stream_->Abandon(); }

 private:
  const std::shared_ptr<Stream> stream_;
};

}  // namespace

std::unique_ptr<WatchStream> BeginWatch(
    EventLoop* loop, pmu::v1::PmuService::Stub* stub, const RpcErrorContext& errors,
    const pmu::v1::WatchRequest& request,
    std::function<void(const pmu::v1::WatchResponse&)> on_message,
    std::function<void(const absl::Status&)> on_end) {
  auto stream = std::make_shared<Stream>(errors, std::move(on_message), std::move(on_end));
  stream->Start(loop, stub, request);
  return std::make_unique<Handle>(std::move(stream));
}

}  // namespace pmu::client
