#include "server/registers/device_tree.h"

#include <sys/stat.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr int kMaxDepth = 16;
constexpr int kMaxNodes = 20000;
constexpr const char* kTree = "/proc/device-tree";

// The cells of a property; nullopt: there is no such property, or it is no
// list of cells.
absl::optional<std::vector<uint32_t>> Cells(const std::string& node, absl::string_view property) {
  absl::StatusOr<std::string> bytes = ReadSmallFile(absl::StrCat(node, "/", property));
  if (!bytes.ok() || bytes->size() % 4 != 0) return absl::nullopt;
  std::vector<uint32_t> cells;
  for (size_t i = 0; i < bytes->size(); i += 4) {
    uint32_t cell = 0;
    for (size_t k = 0; k < 4; ++k) cell = cell << 8 | static_cast<uint8_t>((*bytes)[i + k]);
    cells.push_back(cell);
  }
  return cells;
}

// #address-cells and #size-cells of a node, which its children use.
struct CellCounts {
  size_t address = 2;
  size_t size = 1;
};
CellCounts CountsOf(const std::string& node) {
  const auto one = [&node](absl::string_view property, size_t standard) -> size_t {
    const absl::optional<std::vector<uint32_t>> cells = Cells(node, property);
    return cells.has_value() && cells->size() == 1 ? (*cells)[0] : standard;
  };
  return {one("#address-cells", 2), one("#size-cells", 1)};
}

// `count` cells from `first` as one number; nullopt: missing, or above 64 bits.
absl::optional<uint64_t> Number(const std::vector<uint32_t>& cells, size_t first, size_t count) {
  if (count > 4 || first + count > cells.size()) return absl::nullopt;
  uint64_t number = 0;
  for (size_t i = first; i < first + count; ++i) {
    if (number >> 32 != 0) return absl::nullopt;
    number = number << 32 | cells[i];
  }
  return number;
}

// The bytes of `node`'s parent directory's name: "" for the tree's top.
std::string ParentOf(const std::string& node) { return node.substr(0, node.rfind('/')); }

// An address in the space of `node`'s children, in that of `node`'s parent.
absl::optional<uint64_t> TranslateUp(const std::string& node, uint64_t address) {
  const absl::optional<std::vector<uint32_t>> ranges = Cells(node, "ranges");
  if (!ranges.has_value()) return absl::nullopt;
  if (ranges->empty()) return address;  // The spaces are the same.
  const CellCounts child = CountsOf(node);
  const CellCounts parent = CountsOf(ParentOf(node));
  const size_t stride = child.address + parent.address + child.size;
  for (size_t i = 0; stride > 0 && i + stride <= ranges->size(); i += stride) {
    const absl::optional<uint64_t> from = Number(*ranges, i, child.address);
    const absl::optional<uint64_t> to = Number(*ranges, i + child.address, parent.address);
    const absl::optional<uint64_t> size =
        Number(*ranges, i + child.address + parent.address, child.size);
    if (!from.has_value() || !to.has_value() || !size.has_value()) continue;
    if (address >= *from && address - *from < *size) return address - *from + *to;
  }
  return absl::nullopt;
}

// The node's registers, `tree` being the directory of the top node.
absl::StatusOr<DeviceTreeNode> Locate(const std::string& tree, const std::string& node) {
  DeviceTreeNode found;
  found.path = node.substr(tree.size());
  const CellCounts counts = CountsOf(ParentOf(node));
  const absl::optional<std::vector<uint32_t>> reg = Cells(node, "reg");
  absl::optional<uint64_t> address;
  if (reg.has_value()) address = Number(*reg, 0, counts.address);
  if (!address.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("device tree node ", found.path, ": no usable \"reg\""));
  }
  found.size_bytes = Number(*reg, counts.address, counts.size).value_or(0);
  for (std::string bus = ParentOf(node); bus != tree; bus = ParentOf(bus)) {
    address = TranslateUp(bus, *address);
    if (!address.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat("device tree node ", found.path,
                                                        ": its address is not mapped by ",
                                                        bus.substr(tree.size()), "/ranges"));
    }
  }
  found.physical_address = *address;
  return found;
}

bool IsDirectory(const std::string& path) {
  struct stat entry;
  // Not through links: the tree has none, and a loop would not end.
  return lstat(path.c_str(), &entry) == 0 && S_ISDIR(entry.st_mode);
}

bool IsDisabled(const std::string& node) {
  const std::string status = ReadSmallFile(absl::StrCat(node, "/status")).value_or("");
  return !status.empty() && !absl::StartsWith(status, "ok");
}

bool IsCompatible(const std::string& node, absl::string_view compatible) {
  const std::string list = ReadSmallFile(absl::StrCat(node, "/compatible")).value_or("");
  for (absl::string_view one : absl::StrSplit(list, '\0')) {
    if (one == compatible) return true;
  }
  return false;
}

// The path of the first matching node below `node`; "" none.
std::string Search(const std::string& node, absl::string_view compatible, int depth,
                   int* nodes_left) {
  if (depth > kMaxDepth || --*nodes_left < 0) return "";
  if (IsCompatible(node, compatible) && !IsDisabled(node)) return node;
  for (const std::string& name : ListDirectory(node).value_or(std::vector<std::string>())) {
    const std::string child = absl::StrCat(node, "/", name);
    if (!IsDirectory(child)) continue;
    std::string found = Search(child, compatible, depth + 1, nodes_left);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

absl::StatusOr<DeviceTreeNode> FindDeviceTreeNode(absl::string_view root,
                                                  absl::string_view compatible) {
  const std::string tree = RootedPath(root, kTree);
  if (!FileExists(tree)) {
    return absl::NotFoundError(absl::StrCat(tree, ": no device tree on this machine"));
  }
  int nodes_left = kMaxNodes;
  const std::string node = Search(tree, compatible, 0, &nodes_left);
  if (node.empty()) {
    return absl::NotFoundError(
        absl::StrCat(tree, ": no enabled node with compatible = \"", compatible, "\""));
  }
  return Locate(tree, node);
}

}  // namespace pmu::server
