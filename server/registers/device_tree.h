// device_tree.h: where a device is, from the flattened device tree that the
// kernel shows as files (/proc/device-tree).
//
// Properties are big-endian cells of 32 bits; addresses of a node are in its
// parent's address space and go up to the CPU's through each `ranges`
// (Devicetree Specification 0.4, 2.3.5 to 2.3.8).
//
// Pure functions of the file system, safe to call from any thread. What the
// tree says is not trusted: sizes and depth are limited.
#ifndef PMU_SERVER_REGISTERS_DEVICE_TREE_H_
#define PMU_SERVER_REGISTERS_DEVICE_TREE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

struct DeviceTreeNode {
  std::string path;               // "/cci@2c090000"
  uint64_t physical_address = 0;  // of its first register block, as the CPU sees it
  uint64_t size_bytes = 0;        // of that block
};

// The first node, in order of names, whose `compatible` has the whole string
// `compatible` and that is not disabled. Errors:
//   NOT_FOUND            no device tree, or no such node in it
//   FAILED_PRECONDITION  such a node, but its address cannot be told: no reg,
//                        or no ranges of a parent that map it
absl::StatusOr<DeviceTreeNode> FindDeviceTreeNode(absl::string_view root,
                                                  absl::string_view compatible);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_DEVICE_TREE_H_
