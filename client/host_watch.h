// host_watch.h: the interval samples of one session, whatever the network does.
//
// Watches, and when the connection breaks watches again from the next number,
// for as long as it lives: the agent holds samples for a while. Thread-compatible:
// used from the loop's thread.
#ifndef PMU_CLIENT_HOST_WATCH_H_
#define PMU_CLIENT_HOST_WATCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/connection.h"
#include "client/event_loop.h"

namespace pmu::client {

class HostWatch {
 public:
  // `on_sample`: in order of numbers. `on_end`, once: OK when the session has
  // ended and all its samples were given; else why there will be no more. Must
  // not destroy the watch. `loop` and `connection` must outlive it.
  using OnSample = std::function<void(const pmu::v1::IntervalSample&)>;
  using OnEnd = std::function<void(absl::Status)>;
  HostWatch(EventLoop* loop, PmuConnection* connection, std::string session_id,
            absl::Duration interval, OnSample on_sample, OnEnd on_end);
  ~HostWatch();

 private:
  void Begin();
  void OnMessage(const pmu::v1::WatchResponse& message);
  void OnStreamEnd(const absl::Status& status);

  EventLoop* const loop_;
  PmuConnection* const connection_;
  const std::string session_id_;
  const absl::Duration interval_;
  const OnSample on_sample_;
  const OnEnd on_end_;
  std::unique_ptr<WatchStream> stream_;
  absl::optional<EventLoop::TimerId> retry_;
  uint64_t next_ = 1;
  bool session_ended_ = false;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_HOST_WATCH_H_
