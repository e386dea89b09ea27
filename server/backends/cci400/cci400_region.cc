#include "server/backends/cci400/cci400_region.h"

#include <utility>

#include "absl/strings/match.h"
#include "server/backends/cci400/cci400_registers.h"
#include "server/registers/device_tree.h"
#include "server/registers/mapped_mmio_region.h"

namespace pmu::server {
namespace {

absl::StatusOr<MmioLocation> LocationOf(absl::string_view root, absl::string_view text) {
  if (!text.empty() && text != "auto") return ParseMmioLocation(text);
  absl::StatusOr<DeviceTreeNode> node = FindDeviceTreeNode(root, "arm,cci-400");
  if (!node.ok()) return node.status();
  // The node's own reg covers only the first page of the view.
  MmioLocation location;
  location.path = "/dev/mem";
  location.offset_bytes = node->physical_address;
  return location;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MmioRegion>> OpenCci400Region(absl::string_view root,
                                                             absl::string_view text) {
  absl::StatusOr<MmioLocation> location = LocationOf(root, text);
  if (!location.ok()) return location.status();
  // A UIO map has a size of its own, which the backend checks.
  const bool is_uio = absl::StartsWith(location->path, "/dev/uio");
  if (location->size_bytes == 0 && !is_uio) location->size_bytes = kCci400ViewBytes;
  absl::StatusOr<std::unique_ptr<MappedMmioRegion>> region =
      MappedMmioRegion::Create(root, *location);
  if (!region.ok()) return region.status();
  return std::unique_ptr<MmioRegion>(*std::move(region));
}

}  // namespace pmu::server
