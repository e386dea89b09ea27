// completion_tag.h: what a gRPC completion queue hands back.
#ifndef PMU_SERVER_SERVICE_COMPLETION_TAG_H_
#define PMU_SERVER_SERVICE_COMPLETION_TAG_H_

namespace pmu::server {

// Given to gRPC as the void* of an operation; runs on the serving thread when
// the operation is over. `ok` is what the completion queue said: false when a
// call did not arrive (the server stops), or an answer could not be sent.
class CompletionTag {
 public:
  virtual ~CompletionTag() = default;
  virtual void OnEvent(bool ok) = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_COMPLETION_TAG_H_
