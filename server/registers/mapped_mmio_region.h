// mapped_mmio_region.h: device registers mapped into this process, from a UIO
// device, /dev/mem, or a file that some other process serves as registers.
#ifndef PMU_SERVER_REGISTERS_MAPPED_MMIO_REGION_H_
#define PMU_SERVER_REGISTERS_MAPPED_MMIO_REGION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/registers/mmio_region.h"

namespace pmu::server {

// Where to find a window of registers.
struct MmioLocation {
  std::string path;           // "/dev/uio0", "/dev/mem"
  uint64_t offset_bytes = 0;  // /dev/mem: the physical address; else into the map
  uint64_t size_bytes = 0;    // 0: UIO: the map's size
  int uio_map = 0;            // UIO: which of the device's maps
};

// Parses "PATH[:key=number,...]" with keys offset (or base, the same), size
// and map; numbers decimal or 0x hex: "/dev/uio0", "/dev/uio1:map=2",
// "/dev/mem:base=0x2c090000,size=0x10000". INVALID_ARGUMENT names the token
// and its position from 1, and the known keys.
absl::StatusOr<MmioLocation> ParseMmioLocation(absl::string_view text);

// Owns its mapping. Thread-safe: every access is one volatile 32-bit access.
class MappedMmioRegion final : public MmioRegion {
 public:
  // Opens and maps. `root` is put before the path, and before /sys for the
  // size and offset of a UIO map. Never hangs on what it finds there. Errors:
  //   NOT_FOUND            no such file
  //   PERMISSION_DENIED    root or CAP_SYS_RAWIO needed, or the kernel's
  //                        STRICT_DEVMEM refuses (a driver owns the range)
  //   INVALID_ARGUMENT     no size given and none known, or not of 4 bytes
  //   OUT_OF_RANGE         more than the UIO map or file has
  //   FAILED_PRECONDITION  a directory, a FIFO
  static absl::StatusOr<std::unique_ptr<MappedMmioRegion>> Create(absl::string_view root,
                                                                  const MmioLocation& location);
  ~MappedMmioRegion() override;
  MappedMmioRegion(const MappedMmioRegion&) = delete;
  MappedMmioRegion& operator=(const MappedMmioRegion&) = delete;

  absl::StatusOr<uint32_t> Read32(uint32_t offset) override;
  absl::Status Write32(uint32_t offset, uint32_t value) override;
  uint32_t size_bytes() const override { return size_bytes_; }
  std::string Description() const override { return description_; }

 private:
  MappedMmioRegion(void* mapping, uint64_t mapping_bytes, uint64_t lead_bytes, uint32_t size_bytes,
                   std::string description);
  absl::Status Check(uint32_t offset) const;

  void* const mapping_;
  const uint64_t mapping_bytes_;
  volatile char* const window_;
  const uint32_t size_bytes_;
  const std::string description_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_MAPPED_MMIO_REGION_H_
