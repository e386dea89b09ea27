#include "server/registers/guarded_mmio_region.h"

#include <utility>

namespace pmu::server {

GuardedMmioRegion::GuardedMmioRegion(MmioRegion* region, RegisterAllowList allow_list,
                                     RegisterAccessObserver observer)
    : region_(region), allow_list_(std::move(allow_list)), observer_(std::move(observer)) {}

absl::StatusOr<uint32_t> GuardedMmioRegion::CheckedRead(uint32_t offset) {
  absl::Status allowed = allow_list_.CheckRead(offset);
  if (!allowed.ok()) return allowed;
  return region_->Read32(offset);
}

absl::Status GuardedMmioRegion::CheckedWrite(uint32_t offset, uint32_t value) {
  absl::Status allowed = allow_list_.CheckWrite(offset, value);
  if (!allowed.ok()) return allowed;
  return region_->Write32(offset, value);
}

absl::StatusOr<uint32_t> GuardedMmioRegion::Read32(uint32_t offset) {
  if (!observer_) return CheckedRead(offset);
  absl::MutexLock lock(&order_mutex_);
  absl::StatusOr<uint32_t> read = CheckedRead(offset);
  observer_({false, -1, offset, read.ok() ? *read : 0, read.ok()});
  return read;
}

absl::Status GuardedMmioRegion::Write32(uint32_t offset, uint32_t value) {
  if (!observer_) return CheckedWrite(offset, value);
  absl::MutexLock lock(&order_mutex_);
  absl::Status written = CheckedWrite(offset, value);
  observer_({true, -1, offset, value, written.ok()});
  return written;
}

}  // namespace pmu::server
