#include "server/service/watch_method.h"

#include <grpcpp/alarm.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <atomic>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "common/grpc_status.h"
#include "server/proto_convert.h"
#include "server/service/completion_tag.h"
#include "server/service/sample_batch.h"

namespace pmu::server {

// One call. Owns itself until its events are over. Everything but OnSample is
// for the serving thread.
//   accept -> write, write, ... | wait for samples | -> write `ended` and finish
class WatchMethod::Call final : public CompletionTag {
 public:
  explicit Call(WatchMethod* method)
      : method_(method), writer_(&context_), done_tag_(this), wake_tag_(this) {}

  void Listen() {
    context_.AsyncNotifyWhenDone(&done_tag_);
    const bool begun = method_->queue_->Begin([this](grpc::ServerCompletionQueue* queue) {
      method_->service_->RequestWatch(&context_, &request_, &writer_, queue, queue, this);
    });
    if (!begun) delete this;
  }

  // Accepted, or the operation under way is over.
  void OnEvent(bool ok) override {
    writing_ = false;
    if (!accepted_) {
      if (!ok) {  // the server stops
        delete this;
        return;
      }
      accepted_ = true;
      method_->Listen();
      Begin();
    } else {
      if (!ok) broken_ = true;
      Pump();
    }
    DeleteIfOver();
  }

 private:
  struct DoneTag final : CompletionTag {
    explicit DoneTag(Call* owner) : call(owner) {}
    void OnEvent(bool) override { call->OnDone(); }
    Call* const call;
  };
  struct WakeTag final : CompletionTag {
    explicit WakeTag(Call* owner) : call(owner) {}
    void OnEvent(bool) override { call->OnWoken(); }
    Call* const call;
  };

  void Begin() {
    absl::Status status = Open();
    if (status.ok()) {
      Pump();
    } else {
      Finish(status);
    }
  }

  absl::Status Open() {
    const int64_t max_delay_ns = request_.max_delay_ns();
    if (max_delay_ns < 0 || max_delay_ns > kMaxWatchDelayNs) {
      return absl::InvalidArgumentError(
          absl::StrCat("max_delay_ns ", max_delay_ns, " is not within 0 and ", kMaxWatchDelayNs));
    }
    absl::StatusOr<std::shared_ptr<Session>> session =
        method_->agent_->sessions().Find(request_.session_id());
    if (!session.ok()) return session.status();
    if ((*session)->ring() != nullptr) {
      batch_.emplace((*session)->ring(), (*session)->slots().size(),
                     (*session)->request().spec.interval_ns, request_);
    }
    absl::StatusOr<Session::WatcherId> watcher =
        (*session)->AddWatcher([this](int64_t now_ns, bool ended) { OnSample(now_ns, ended); });
    if (!watcher.ok()) return watcher.status();
    session_ = *std::move(session);
    watcher_ = *watcher;
    return absl::OkStatus();
  }

  // From the sampling thread, under the session's lock.
  void OnSample(int64_t now_ns, bool ended) {
    if (!waiting_hint_ && !ended) return;  // not waiting is no reason to wait for the lock
    absl::MutexLock lock(&mutex_);
    if (!waiting_) return;
    ++samples_held_;
    if (held_since_ns_ == 0) held_since_ns_ = now_ns;
    if (ended || batch_->WorthSending(samples_held_, held_since_ns_, now_ns)) WakeLocked();
  }

  // Has the serving thread go on.
  void WakeLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    waiting_ = waiting_hint_ = false;
    wake_under_way_ = method_->queue_->Begin([this](grpc::ServerCompletionQueue* queue) {
      alarm_.Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), &wake_tag_);
    });
  }

  void OnWoken() {
    {
      absl::MutexLock lock(&mutex_);
      wake_under_way_ = false;
    }
    Pump();
    DeleteIfOver();
  }

  // The client is gone, or the call is finished.
  void OnDone() {
    done_ = true;
    Pump();
    DeleteIfOver();
  }

  // Writes what there is, unless a write is under way; else waits for samples.
  void Pump() {
    if (writing_ || finished_) return;
    if (done_ || broken_) {
      Finish(absl::CancelledError("the client is gone"));
      return;
    }
    // Asked before the ring is read: what comes later wakes us again.
    const bool ended = session_->HasEnded();
    response_.Clear();
    const bool more = batch_->Fill(&response_);
    if (ended && !more) {
      ToProto(*session_, response_.mutable_ended());
      Unwatch();
      finished_ = writing_ = true;
      writer_.WriteAndFinish(response_, grpc::WriteOptions(), grpc::Status::OK, this);
    } else if (response_.samples_size() > 0 || response_.has_gap()) {
      writing_ = true;
      writer_.Write(response_, this);
    } else {
      Wait();
    }
  }

  void Wait() {
    {
      absl::MutexLock lock(&mutex_);
      if (waiting_ || wake_under_way_) return;
      waiting_ = waiting_hint_ = true;
      samples_held_ = 0;
      held_since_ns_ = 0;
    }
    // What came since Fill has woken nobody.
    if (!batch_->HasMore() && !session_->HasEnded()) return;
    absl::MutexLock lock(&mutex_);
    if (waiting_) WakeLocked();
  }

  void Finish(const absl::Status& status) {
    Unwatch();
    finished_ = writing_ = true;
    writer_.Finish(ToGrpcStatus(status), this);
  }

  // No OnSample runs, or begins, once this has returned.
  void Unwatch() {
    if (session_ != nullptr && watcher_ != 0) session_->RemoveWatcher(watcher_);
    watcher_ = 0;
  }

  void DeleteIfOver() {
    bool woken_later;
    {
      absl::MutexLock lock(&mutex_);
      woken_later = wake_under_way_;
    }
    if (finished_ && !writing_ && done_ && !woken_later) delete this;
  }

  WatchMethod* const method_;
  grpc::ServerContext context_;
  pmu::v1::WatchRequest request_;
  pmu::v1::WatchResponse response_;
  grpc::ServerAsyncWriter<pmu::v1::WatchResponse> writer_;
  std::shared_ptr<Session> session_;
  absl::optional<SampleBatch> batch_;
  Session::WatcherId watcher_ = 0;
  bool accepted_ = false;
  bool writing_ = false;   // an operation is under way
  bool broken_ = false;    // a write failed
  bool finished_ = false;  // the last operation was begun
  bool done_ = false;

  std::atomic<bool> waiting_hint_{false};  // as waiting_
  absl::Mutex mutex_;
  grpc::Alarm alarm_ ABSL_GUARDED_BY(mutex_);
  bool waiting_ ABSL_GUARDED_BY(mutex_) = false;  // for OnSample
  bool wake_under_way_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t samples_held_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t held_since_ns_ ABSL_GUARDED_BY(mutex_) = 0;

  DoneTag done_tag_;
  WakeTag wake_tag_;
};

void WatchMethod::Listen() { (new Call(this))->Listen(); }

}  // namespace pmu::server
