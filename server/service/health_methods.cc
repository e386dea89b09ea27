#include "server/service/health_methods.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include "absl/strings/str_cat.h"
#include "server/log.h"

namespace pmu::server {
namespace {

constexpr char kPmuService[] = "pmu.v1.PmuService";
// Beyond it a Watch is refused: each costs memory as long as it lasts.
constexpr size_t kMaxWatchers = 256;

}  // namespace

// One Watch call. Owns itself until its events are over.
//   accept -> write the state -> (idle until StopServing or the client goes)
//          -> write and finish
// One operation is under way at a time. Everything is guarded by the mutex of
// the service, since StopServing comes from another thread.
class HealthMethods::Watcher final : public CompletionTag {
 public:
  explicit Watcher(HealthMethods* health) : health_(health), writer_(&context_), done_tag_(this) {}

  void Listen() {
    context_.AsyncNotifyWhenDone(&done_tag_);
    const bool begun = health_->queue_->Begin([this](grpc::ServerCompletionQueue* queue) {
      health_->service_.RequestWatch(&context_, &request_, &writer_, queue, queue, this);
    });
    if (!begun) delete this;
  }

  void OnEvent(bool ok) override {
    bool over;
    {
      absl::MutexLock lock(&health_->mutex_);
      over = accepted_ ? OnWrittenLocked(ok) : !ok;
      if (!accepted_ && ok) OnAcceptedLocked();
    }
    if (over) {
      delete this;
    } else if (!next_listens_) {
      next_listens_ = true;
      (new Watcher(health_))->Listen();
    }
  }

  // Says NOT_SERVING and ends the call.
  void StopLocked() {
    stopping_ = true;
    if (!writing_) FinishLocked();
  }

 private:
  struct DoneTag final : CompletionTag {
    explicit DoneTag(Watcher* owner) : watcher(owner) {}
    void OnEvent(bool) override {
      bool over;
      {
        absl::MutexLock lock(&watcher->health_->mutex_);
        over = watcher->OnDoneLocked();
      }
      if (over) delete watcher;
    }
    Watcher* const watcher;
  };

  void OnAcceptedLocked() {
    accepted_ = true;
    if (!health_->serving_ || health_->watchers_.size() >= kMaxWatchers) {
      finished_ = writing_ = true;
      writer_.Finish(
          grpc::Status(health_->serving_ ? grpc::StatusCode::RESOURCE_EXHAUSTED
                                         : grpc::StatusCode::UNAVAILABLE,
                       health_->serving_ ? "too many watchers" : "the agent is stopping"),
          this);
      return;
    }
    health_->watchers_.insert(this);
    Response response;
    response.set_status(health_->StatusOf(request_.service()));
    writing_ = true;
    writer_.Write(response, this);
  }

  bool OnWrittenLocked(bool) {
    writing_ = false;
    if (finished_) return OverLocked();
    if (stopping_ || done_) FinishLocked();
    return false;
  }

  // The client is gone, or the call is finished.
  bool OnDoneLocked() {
    done_ = true;
    health_->watchers_.erase(this);
    if (!finished_ && !writing_) FinishLocked();
    return OverLocked();
  }

  void FinishLocked() {
    if (finished_) return;
    finished_ = writing_ = true;
    Response response;
    response.set_status(Response::NOT_SERVING);
    writer_.WriteAndFinish(response, grpc::WriteOptions(), grpc::Status::OK, this);
  }

  bool OverLocked() const { return finished_ && !writing_ && done_; }

  HealthMethods* const health_;
  grpc::ServerContext context_;
  Request request_;
  grpc::ServerAsyncWriter<Response> writer_;
  DoneTag done_tag_;
  bool next_listens_ = false;
  bool accepted_ = false;
  bool writing_ = false;   // an operation is under way
  bool finished_ = false;  // the last operation was begun
  bool stopping_ = false;
  bool done_ = false;
};

HealthMethods::HealthMethods(CallQueue* queue)
    : queue_(queue),
      check_(
          "Health.Check", queue,
          [this](grpc::ServerContext* context, Request* request,
                 grpc::ServerAsyncResponseWriter<Response>* writer,
                 grpc::ServerCompletionQueue* calls,
                 void* tag) { service_.RequestCheck(context, request, writer, calls, calls, tag); },
          [this](auto* call) { call->Finish(Check(call->request(), call->response())); }) {}

HealthMethods::~HealthMethods() = default;

void HealthMethods::Listen() {
  check_.Listen();
  (new Watcher(this))->Listen();
}

void HealthMethods::StopServing() {
  absl::MutexLock lock(&mutex_);
  serving_ = false;
  for (Watcher* watcher : watchers_) watcher->StopLocked();
}

absl::Status HealthMethods::Check(const Request& request, Response* response) {
  absl::ReaderMutexLock lock(&mutex_);
  response->set_status(StatusOf(request.service()));
  if (response->status() != Response::SERVICE_UNKNOWN) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no service ", Quoted(request.service()),
                                          " here; ask for \"\" or \"", kPmuService, "\""));
}

HealthMethods::Response::ServingStatus HealthMethods::StatusOf(const std::string& service) const {
  if (!service.empty() && service != kPmuService) return Response::SERVICE_UNKNOWN;
  return serving_ ? Response::SERVING : Response::NOT_SERVING;
}

}  // namespace pmu::server
