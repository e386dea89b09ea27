#include "server/registers/mapped_mmio_region.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "server/machine/root_files.h"
#include "server/registers/errno_text.h"
#include "server/registers/register_number.h"

namespace pmu::server {
namespace {

// No window of device registers that this project maps is larger.
constexpr uint64_t kMaxWindowBytes = 16 << 20;

bool IsUio(const MmioLocation& location) { return absl::StartsWith(location.path, "/dev/uio"); }

// A number in a file of /sys/class/uio/uioN/maps/mapM (uio(4), "sysfs").
absl::StatusOr<uint64_t> UioMapNumber(absl::string_view root, const MmioLocation& location,
                                      absl::string_view file) {
  const absl::string_view device = absl::string_view(location.path).substr(5);
  const std::string path =
      absl::StrCat(root, "/sys/class/uio/", device, "/maps/map", location.uio_map, "/", file);
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) return text.status();
  uint64_t number = 0;
  if (ParseRegisterNumber(*text, &number)) return number;
  return absl::InternalError(absl::StrCat(path, ": not a number"));
}

// Where in the file to map, and what.
struct Window {
  uint64_t map_offset = 0;  // A multiple of the page size.
  uint64_t lead_bytes = 0;  // From there to the window.
  uint64_t size_bytes = 0;
};

absl::StatusOr<Window> UioWindow(absl::string_view root, const MmioLocation& location) {
  absl::StatusOr<uint64_t> map_bytes = UioMapNumber(root, location, "size");
  if (!map_bytes.ok()) return map_bytes.status();
  // Registers that do not start on a page: the kernel maps whole pages and
  // says where they begin. Older kernels have no such file: 0.
  const uint64_t start = UioMapNumber(root, location, "offset").value_or(0);
  if (location.offset_bytes >= *map_bytes ||
      location.size_bytes > *map_bytes - location.offset_bytes) {
    return absl::OutOfRangeError(
        absl::StrFormat("%s: map %d has 0x%x bytes; asked for 0x%x at 0x%x", location.path,
                        location.uio_map, *map_bytes, location.size_bytes, location.offset_bytes));
  }
  Window window;
  // Not an offset but the number of the map, times the page size (uio(4)).
  window.map_offset = static_cast<uint64_t>(location.uio_map) * sysconf(_SC_PAGESIZE);
  window.lead_bytes = start + location.offset_bytes;
  window.size_bytes =
      location.size_bytes != 0 ? location.size_bytes : *map_bytes - location.offset_bytes;
  return window;
}

absl::StatusOr<Window> PlainWindow(const MmioLocation& location, const struct stat& file) {
  if (location.size_bytes == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(location.path, ": no size given: write ", location.path, ":offset=N,size=N"));
  }
  const uint64_t file_bytes = static_cast<uint64_t>(file.st_size);
  if (S_ISREG(file.st_mode) && (location.offset_bytes > file_bytes ||
                                location.size_bytes > file_bytes - location.offset_bytes)) {
    return absl::OutOfRangeError(absl::StrCat(location.path, ": has ", file_bytes, " bytes only"));
  }
  const uint64_t page_bytes = sysconf(_SC_PAGESIZE);
  Window window;
  window.lead_bytes = location.offset_bytes % page_bytes;
  window.map_offset = location.offset_bytes - window.lead_bytes;
  window.size_bytes = location.size_bytes;
  return window;
}

absl::Status CheckWindow(const MmioLocation& location, const Window& window) {
  if (window.size_bytes == 0 || window.size_bytes % 4 != 0 || window.lead_bytes % 4 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(location.path, ": offset and size must be multiples of 4"));
  }
  if (window.size_bytes > kMaxWindowBytes ||
      window.map_offset > static_cast<uint64_t>(std::numeric_limits<off_t>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat(location.path, ": a window of ", window.size_bytes, " bytes at ",
                     location.offset_bytes, " is too large; at most ", kMaxWindowBytes));
  }
  return absl::OkStatus();
}

absl::Status OpenError(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR || error == ENXIO || error == ENODEV) {
    return absl::NotFoundError(absl::StrCat(path, ": ", ErrnoText(error)));
  }
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(absl::StrCat(
        path, ": ", ErrnoText(error), ": run the agent as root or give its user the file"));
  }
  if (error == EISDIR) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": a directory, not a device"));
  }
  return absl::InternalError(absl::StrCat("open ", path, ": ", ErrnoText(error)));
}

absl::Status MapError(const std::string& path, int error) {
  if (error == EPERM || error == EACCES) {
    return absl::PermissionDeniedError(
        absl::StrCat(path,
                     ": the kernel refuses to map the range: a driver owns it (STRICT_DEVMEM; "
                     "iomem=relaxed allows it) or CAP_SYS_RAWIO is missing"));
  }
  return absl::InternalError(absl::StrCat("mmap ", path, ": ", ErrnoText(error)));
}

// Sets one key of a location.
absl::Status SetKey(absl::string_view key, uint64_t number, size_t position,
                    MmioLocation* location) {
  if (key == "offset" || key == "base") {
    location->offset_bytes = number;
  } else if (key == "size") {
    location->size_bytes = number;
  } else if (key == "map" && number < 16) {
    location->uio_map = static_cast<int>(number);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", key, "\" at position ", position,
                     ": not a key of a register window; known: offset, base, size, map (0 to 15)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MmioLocation> ParseMmioLocation(absl::string_view text) {
  MmioLocation location;
  const size_t colon = text.find(':');
  location.path = std::string(text.substr(0, colon));
  if (location.path.empty() || location.path[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", location.path, "\" at position 1: not an absolute path"));
  }
  if (colon == absl::string_view::npos) return location;
  size_t position = colon + 2;
  for (absl::string_view term : absl::StrSplit(text.substr(colon + 1), ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(term, absl::MaxSplits('=', 1));
    uint64_t number = 0;
    if (!ParseRegisterNumber(parts.second, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", term, "\" at position ", position, ": expected key=number"));
    }
    absl::Status set = SetKey(parts.first, number, position, &location);
    if (!set.ok()) return set;
    position += term.size() + 1;
  }
  return location;
}

absl::StatusOr<std::unique_ptr<MappedMmioRegion>> MappedMmioRegion::Create(
    absl::string_view root, const MmioLocation& location) {
  const std::string path = absl::StrCat(root, location.path);
  // O_SYNC: /dev/mem maps device memory uncached with it (mem(4)).
  const int fd = open(path.c_str(), O_RDWR | O_SYNC | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return OpenError(path, errno);
  struct stat file;
  absl::StatusOr<Window> window =
      absl::FailedPreconditionError(absl::StrCat(path, ": neither a device nor a file"));
  if (fstat(fd, &file) == 0 && (S_ISCHR(file.st_mode) || S_ISREG(file.st_mode))) {
    window = IsUio(location) ? UioWindow(root, location) : PlainWindow(location, file);
  }
  absl::Status usable = window.ok() ? CheckWindow(location, *window) : window.status();
  if (!usable.ok()) {
    close(fd);
    return usable;
  }
  const uint64_t bytes = window->lead_bytes + window->size_bytes;
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, window->map_offset);
  const int error = errno;
  close(fd);  // The mapping stays.
  if (mapping == MAP_FAILED) return MapError(path, error);
  return std::unique_ptr<MappedMmioRegion>(
      new MappedMmioRegion(mapping, bytes, window->lead_bytes, window->size_bytes,
                           absl::StrFormat("%s at 0x%x", path, location.offset_bytes)));
}

MappedMmioRegion::MappedMmioRegion(void* mapping, uint64_t mapping_bytes, uint64_t lead_bytes,
                                   uint32_t size_bytes, std::string description)
    : mapping_(mapping),
      mapping_bytes_(mapping_bytes),
      window_(static_cast<volatile char*>(mapping) + lead_bytes),
      size_bytes_(size_bytes),
      description_(std::move(description)) {}

MappedMmioRegion::~MappedMmioRegion() { munmap(mapping_, mapping_bytes_); }

absl::Status MappedMmioRegion::Check(uint32_t offset) const {
  if (offset % 4 != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: offset 0x%x is no multiple of 4", description_, offset));
  }
  if (offset >= size_bytes_) {
    return absl::OutOfRangeError(absl::StrFormat("%s: offset 0x%x is outside the window of 0x%x",
                                                 description_, offset, size_bytes_));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> MappedMmioRegion::Read32(uint32_t offset) {
  absl::Status valid = Check(offset);
  if (!valid.ok()) return valid;
  return *reinterpret_cast<volatile uint32_t*>(window_ + offset);
}

absl::Status MappedMmioRegion::Write32(uint32_t offset, uint32_t value) {
  absl::Status valid = Check(offset);
  if (!valid.ok()) return valid;
  *reinterpret_cast<volatile uint32_t*>(window_ + offset) = value;
  return absl::OkStatus();
}

}  // namespace pmu::server
