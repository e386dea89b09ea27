#include "server/sample_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {

size_t SampleRing::SampleBytes(size_t slots) {
  return sizeof(IntervalHeader) + slots * sizeof(RawReading);
}

absl::StatusOr<std::unique_ptr<SampleRing>> SampleRing::Create(size_t slots, size_t samples) {
  const size_t places = std::max<size_t>(samples, 1) + kUnpublished;
  const size_t bytes = places * SampleBytes(slots);
  // Pages of anonymous memory read as zero and exist only once written.
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for ", samples, " interval samples (", bytes, " bytes): ", strerror(errno)));
  }
  return absl::WrapUnique(new SampleRing(memory, bytes, slots, places));
}

SampleRing::SampleRing(void* memory, size_t bytes, size_t slots, size_t places)
    : memory_(memory), bytes_(bytes), slots_(slots), places_(places) {}

SampleRing::~SampleRing() { munmap(memory_, bytes_); }

IntervalHeader* SampleRing::HeaderAt(uint64_t index) const {
  return static_cast<IntervalHeader*>(memory_) + index % places_;
}

RawReading* SampleRing::ReadingsAt(uint64_t index) const {
  auto* const first =
      reinterpret_cast<RawReading*>(static_cast<IntervalHeader*>(memory_) + places_);
  return first + index % places_ * slots_;
}

absl::Span<RawReading> SampleRing::NextReadings() {
  RawReading* const readings = ReadingsAt(next_);
  for (size_t i = 0; i < slots_; ++i) new (readings + i) RawReading;
  return {readings, slots_};
}

void SampleRing::Publish(const IntervalHeader& header, Visible visible) {
  new (HeaderAt(next_)) IntervalHeader(header);
  ++next_;
  const bool may_wait = visible == Visible::kNow || next_ - published_ >= kUnpublished;
  if (may_wait) {
    mutex_.Lock();
  } else if (!mutex_.TryLock()) {
    return;
  }
  PublishLocked();
  mutex_.Unlock();
}

void SampleRing::PublishLocked() {
  written_ = published_ = next_;
  const uint64_t held = HeldLocked();
  if (written_ > held) lost_number_ = HeaderAt(written_ - held - 1)->turn.number;
}

uint64_t SampleRing::HeldLocked() const { return std::min<uint64_t>(written_, capacity()); }

SampleRing::Range SampleRing::Available() const {
  absl::MutexLock lock(&mutex_);
  if (written_ == 0) return {};
  return {HeaderAt(written_ - HeldLocked())->turn.number, HeaderAt(written_ - 1)->turn.number};
}

size_t SampleRing::Read(
    uint64_t from, size_t most, AtLoss at_loss, uint64_t* lost,
    absl::FunctionRef<void(const IntervalHeader&, absl::Span<const RawReading>)> use) const {
  absl::MutexLock lock(&mutex_);
  if (lost_number_ >= from && lost_number_ != 0) {
    *lost = lost_number_;
    if (at_loss == AtLoss::kStop) return 0;
  }
  uint64_t low = written_ - HeldLocked();
  uint64_t high = written_;
  while (low < high) {  // the first sample whose number is not below `from`
    const uint64_t middle = low + (high - low) / 2;
    if (HeaderAt(middle)->turn.number < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  size_t count = 0;
  for (; low < written_ && count < most; ++low, ++count) {
    use(*HeaderAt(low), {ReadingsAt(low), slots_});
  }
  return count;
}

}  // namespace pmu::server
