// guarded_mmio_region.h: an MmioRegion that lets only allow-listed registers
// through, and tells what it did.
#ifndef PMU_SERVER_REGISTERS_GUARDED_MMIO_REGION_H_
#define PMU_SERVER_REGISTERS_GUARDED_MMIO_REGION_H_

#include <string>

#include "absl/synchronization/mutex.h"
#include "server/registers/allow_list.h"
#include "server/registers/mmio_region.h"
#include "server/registers/register_access.h"

namespace pmu::server {

// Refuses with PERMISSION_DENIED, without touching the region, what the list
// does not allow; otherwise as the region below.
//
// Thread-safe. With an observer, accesses are made one at a time, so that it
// hears of them in their order; without one they run in parallel.
class GuardedMmioRegion final : public MmioRegion {
 public:
  // `region` is not owned and must outlive this. `observer` may be empty.
  GuardedMmioRegion(MmioRegion* region, RegisterAllowList allow_list,
                    RegisterAccessObserver observer);

  absl::StatusOr<uint32_t> Read32(uint32_t offset) override;
  absl::Status Write32(uint32_t offset, uint32_t value) override;
  uint32_t size_bytes() const override { return region_->size_bytes(); }
  std::string Description() const override { return region_->Description(); }

 private:
  absl::StatusOr<uint32_t> CheckedRead(uint32_t offset);
  absl::Status CheckedWrite(uint32_t offset, uint32_t value);

  MmioRegion* const region_;
  const RegisterAllowList allow_list_;
  const RegisterAccessObserver observer_;
  absl::Mutex order_mutex_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_GUARDED_MMIO_REGION_H_
