// watch_method.h: rpc Watch, a stream of interval samples.
//
// Each call has a place in the session's ring and writes from there on, one
// message at a time: a client that reads slowly only falls behind itself, and
// is told what the ring overwrote meanwhile. The sampling thread does nothing
// for a call but to wake the serving thread when a message is worth sending.
//
// Thread-compatible; must outlive the closing of its queue.
#ifndef PMU_SERVER_SERVICE_WATCH_METHOD_H_
#define PMU_SERVER_SERVICE_WATCH_METHOD_H_

#include "proto/pmu/v1/service.grpc.pb.h"
#include "server/agent.h"
#include "server/service/call_queue.h"

namespace pmu::server {

class WatchMethod {
 public:
  // All must outlive it.
  WatchMethod(Agent* agent, pmu::v1::PmuService::AsyncService* service, CallQueue* queue)
      : agent_(agent), service_(service), queue_(queue) {}

  // Begins to take calls; when the server is built.
  void Listen();

 private:
  class Call;

  Agent* const agent_;
  pmu::v1::PmuService::AsyncService* const service_;
  CallQueue* const queue_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_WATCH_METHOD_H_
