#include "server/service/sample_batch.h"

#include <algorithm>

#include "server/proto_convert.h"

namespace pmu::server {
namespace {

constexpr size_t kMessageBytes = 256 * 1024;
// A reading on the wire: three numbers and a state.
constexpr size_t kReadingBytes = 24;
constexpr size_t kHeaderBytes = 48;
// Samples converted while the writer of the ring may have to wait.
constexpr size_t kAtOnce = 8;

}  // namespace

SampleBatch::SampleBatch(const SampleRing* ring, size_t slots, int64_t interval_ns,
                         const pmu::v1::WatchRequest& request)
    : ring_(ring),
      most_(std::max<size_t>(kMessageBytes / (kHeaderBytes + slots * kReadingBytes), 1)),
      interval_ns_(interval_ns),
      max_delay_ns_(request.max_delay_ns()),
      next_(request.from_number()) {}

bool SampleBatch::Fill(pmu::v1::WatchResponse* response) {
  const uint64_t wanted = next_;
  uint64_t lost = 0;
  size_t count = 0;
  size_t read = kAtOnce;
  while (count < most_ && read == kAtOnce) {
    // A gap is told before the samples of a message, never within them.
    const auto at_loss = count == 0 ? SampleRing::AtLoss::kGoOn : SampleRing::AtLoss::kStop;
    uint64_t told_next_time = 0;
    uint64_t* const lost_here = count == 0 ? &lost : &told_next_time;
    read = ring_->Read(next_, std::min(kAtOnce, most_ - count), at_loss, lost_here,
                       [&](const IntervalHeader& header, absl::Span<const RawReading> readings) {
                         ToProto(header, readings, response->add_samples());
                         next_ = header.turn.number + 1;
                       });
    count += read;
  }
  // Who asks for the oldest sample misses nothing.
  if (wanted != 0 && lost != 0) {
    response->mutable_gap()->set_first_number(wanted);
    response->mutable_gap()->set_last_number(lost);
  }
  return HasMore();
}

bool SampleBatch::HasMore() const {
  const uint64_t latest = ring_->Available().latest;
  return latest != 0 && latest >= next_;
}

bool SampleBatch::WorthSending(uint64_t held, int64_t since_ns, int64_t now_ns) const {
  return held >= most_ || now_ns + interval_ns_ - since_ns > max_delay_ns_;
}

}  // namespace pmu::server
