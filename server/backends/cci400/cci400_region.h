// cci400_region.h: finds and maps the registers of this machine's CCI-400.
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_REGION_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_REGION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/registers/mmio_region.h"

namespace pmu::server {

// `text`: "" or "auto" looks for "arm,cci-400" in the device tree and maps
// /dev/mem there; otherwise a location as ParseMmioLocation reads it, 64 KiB
// unless it says another size: "/dev/uio0", "/dev/mem:base=0x2c090000".
// `root` is put before all paths. Errors: those of FindDeviceTreeNode,
// ParseMmioLocation and MappedMmioRegion::Create.
absl::StatusOr<std::unique_ptr<MmioRegion>> OpenCci400Region(absl::string_view root,
                                                             absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_REGION_H_
