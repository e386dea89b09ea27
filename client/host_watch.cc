#include "client/host_watch.h"

#include <algorithm>
#include <utility>

#include "client/rpc_error.h"

namespace pmu::client {
namespace {

constexpr absl::Duration kRetryAfter = absl::Milliseconds(200);
// Samples of intervals below kShort may be sent together that come within this
// time: nobody reads so fast, and a message costs more than the samples in it.
constexpr absl::Duration kShort = absl::Milliseconds(100);
constexpr absl::Duration kMaxHeldBack = absl::Milliseconds(250);

}  // namespace

HostWatch::HostWatch(EventLoop* loop, PmuConnection* connection, std::string session_id,
                     absl::Duration interval, OnSample on_sample, OnEnd on_end)
    : loop_(loop),
      connection_(connection),
      session_id_(std::move(session_id)),
      interval_(interval),
      on_sample_(std::move(on_sample)),
      on_end_(std::move(on_end)) {
  Begin();
}

HostWatch::~HostWatch() {
  if (retry_.has_value()) loop_->CancelTimer(*retry_);
}

void HostWatch::Begin() {
  pmu::v1::WatchRequest request;
  request.set_session_id(session_id_);
  request.set_from_number(next_);
  if (interval_ < kShort) {
    request.set_max_delay_ns(absl::ToInt64Nanoseconds(kMaxHeldBack));
  }
  stream_ = connection_->Watch(
      request, [this](const pmu::v1::WatchResponse& message) { OnMessage(message); },
      [this](const absl::Status& status) { OnStreamEnd(status); });
}

void HostWatch::OnMessage(const pmu::v1::WatchResponse& message) {
  for (const pmu::v1::IntervalSample& sample : message.samples()) {
    if (sample.number() < next_) continue;  // an agent that repeats itself
    next_ = sample.number() + 1;
    on_sample_(sample);
  }
  if (message.has_ended()) session_ended_ = true;
}

void HostWatch::OnStreamEnd(const absl::Status& status) {
  if (session_ended_) {
    on_end_(absl::OkStatus());
  } else if (IsConnectionError(status) || status.ok()) {
    retry_ = loop_->RunAfter(kRetryAfter, [this] {
      retry_.reset();
      Begin();
    });
  } else {
    on_end_(status);
  }
}

}  // namespace pmu::client
