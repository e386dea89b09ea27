// sample_ring.h: the latest interval samples of one session.
//
// A ring of fixed size that one thread writes and any number read. The writer
// fills a place that no reader can see yet, and need not wait for readers to
// publish it either: a writer of high priority must not wait for a reader that
// was interrupted. What readers did not fetch in time is overwritten. Memory is taken from the
// kernel once and touched only as samples come.
//
// Thread-safe, with one writer at a time.
#ifndef PMU_SERVER_SAMPLE_RING_H_
#define PMU_SERVER_SAMPLE_RING_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/counter_math.h"
#include "server/interval_plan.h"

namespace pmu::server {

// One sample without its readings.
struct IntervalHeader {
  IntervalPlan::Turn turn;
  bool last = false;
  uint64_t sequence = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

class SampleRing {
 public:
  // What a reader may ask for now. Numbers grow but may have holes, where the
  // agent missed deadlines.
  struct Range {
    uint64_t oldest = 0;  // 0: nothing yet
    uint64_t latest = 0;
  };

  // Bytes that one sample of `slots` readings takes.
  static size_t SampleBytes(size_t slots);

  // RESOURCE_EXHAUSTED: the kernel has no such memory.
  static absl::StatusOr<std::unique_ptr<SampleRing>> Create(size_t slots, size_t samples);
  ~SampleRing();
  SampleRing(const SampleRing&) = delete;
  SampleRing& operator=(const SampleRing&) = delete;

  size_t capacity() const { return places_ - kUnpublished; }

  // Writer: the readings of the next sample, to be filled in place.
  absl::Span<RawReading> NextReadings();
  // Writer: makes it the latest. Numbers must grow. With kLater, and while
  // somebody reads, it may become visible only with the next sample.
  enum class Visible { kNow, kLater };
  void Publish(const IntervalHeader& header, Visible visible = Visible::kNow);

  Range Available() const;

  // Shows samples from number `from` on to `use`, oldest first, at most `most`
  // of them, and returns how many that were. When samples from `from` on were
  // overwritten, `lost` becomes the last number of these (else it stays), and
  // with kStop nothing is shown. The writer waits meanwhile when it publishes,
  // so `most` is to be small.
  enum class AtLoss { kGoOn, kStop };
  size_t Read(
      uint64_t from, size_t most, AtLoss at_loss, uint64_t* lost,
      absl::FunctionRef<void(const IntervalHeader&, absl::Span<const RawReading>)> use) const;

 private:
  // Places that are being written, or wait to be published.
  static constexpr size_t kUnpublished = 32;

  SampleRing(void* memory, size_t bytes, size_t slots, size_t places);

  void PublishLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of the samples published, how many can be read.
  uint64_t HeldLocked() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  IntervalHeader* HeaderAt(uint64_t index) const;
  RawReading* ReadingsAt(uint64_t index) const;

  void* const memory_;
  const size_t bytes_;
  const size_t slots_;
  const size_t places_;  // kUnpublished more than can be read

  mutable absl::Mutex mutex_;
  // Samples written so far; sample i lies at place i % places_.
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t lost_number_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_ = 0;       // the writer's: samples written, published or not
  uint64_t published_ = 0;  // the writer's copy of written_
};

}  // namespace pmu::server

#endif  // PMU_SERVER_SAMPLE_RING_H_
