// mmio_region.h: a bounded window of 32-bit device registers, behind a seam.
#ifndef PMU_SERVER_REGISTERS_MMIO_REGION_H_
#define PMU_SERVER_REGISTERS_MMIO_REGION_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pmu::server {

// Offsets are in bytes from the start of the window. Every access is one
// 32-bit load or store that the compiler neither drops, merges nor reorders.
// Implementations are thread-safe and do not sleep.
//
// Errors of both calls:
//   OUT_OF_RANGE       the offset is outside the window
//   INVALID_ARGUMENT   the offset is no multiple of 4
//   PERMISSION_DENIED  refused by an allow-list
//   INTERNAL           the device failed
class MmioRegion {
 public:
  virtual ~MmioRegion() = default;

  virtual absl::StatusOr<uint32_t> Read32(uint32_t offset) = 0;

  virtual absl::Status Write32(uint32_t offset, uint32_t value) = 0;

  virtual uint32_t size_bytes() const = 0;

  // For messages: "/dev/uio0", "simulated cci400-r1".
  virtual std::string Description() const = 0;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_MMIO_REGION_H_
