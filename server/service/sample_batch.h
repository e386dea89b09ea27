// sample_batch.h: what one watcher gets next out of a session's ring.
//
// Knows the watcher's place in the ring, says what was overwritten before it
// could be fetched, and how many samples make a message.
//
// Thread-compatible, but for WorthSending, which is thread-safe.
#ifndef PMU_SERVER_SERVICE_SAMPLE_BATCH_H_
#define PMU_SERVER_SERVICE_SAMPLE_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "proto/pmu/v1/service.pb.h"
#include "server/sample_ring.h"

namespace pmu::server {

class SampleBatch {
 public:
  // `ring` must outlive it.
  SampleBatch(const SampleRing* ring, size_t slots, int64_t interval_ns,
              const pmu::v1::WatchRequest& request);

  // Moves what is next into `response`: samples, as many as one message may
  // hold, and the gap before them. True: there is more.
  bool Fill(pmu::v1::WatchResponse* response);

  bool HasMore() const;

  // Whether `held` samples, the first of them from `since_ns`, are to be sent
  // now: they fill a message, or waiting for the next one would hold them back
  // for longer than the watcher allows.
  bool WorthSending(uint64_t held, int64_t since_ns, int64_t now_ns) const;

 private:
  const SampleRing* const ring_;
  const size_t most_;  // samples in a message
  const int64_t interval_ns_;
  const int64_t max_delay_ns_;
  uint64_t next_;  // 0: the oldest there is
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SERVICE_SAMPLE_BATCH_H_
