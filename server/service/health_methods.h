// health_methods.h: grpc.health.v1.Health, for probes and load balancers.
//
// Thread-compatible but for SetServing, which is thread-safe.
#ifndef PMU_SERVER_SERVICE_HEALTH_METHODS_H_
#define PMU_SERVER_SERVICE_HEALTH_METHODS_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "proto/grpc/health/v1/health.grpc.pb.h"
#include "server/service/call_queue.h"
#include "server/service/unary_method.h"

namespace pmu::server {

class HealthMethods {
 public:
  // `queue` must outlive it.
  explicit HealthMethods(CallQueue* queue);
  ~HealthMethods();

  grpc::Service* service() { return &service_; }

  // Begins to take calls, SERVING; when the server is built.
  void Listen();

  // NOT_SERVING from now on; watchers are told, and their calls ended.
  void StopServing();

 private:
  class Watcher;

  using Request = grpc::health::v1::HealthCheckRequest;
  using Response = grpc::health::v1::HealthCheckResponse;

  // NOT_FOUND: no such service.
  absl::Status Check(const Request& request, Response* response);
  // SERVICE_UNKNOWN: no such service.
  Response::ServingStatus StatusOf(const std::string& service) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  CallQueue* const queue_;
  grpc::health::v1::Health::AsyncService service_;
  UnaryMethod<Request, Response> check_;

  mutable absl::Mutex mutex_;
  bool serving_ ABSL_GUARDED_BY(mutex_) = true;
  absl::flat_hash_set<Watcher*> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_HEALTH_METHODS_H_
