// host_pattern.h: one item of a host list, "rack[1-2]n[01-04,9]".
//
// The part of host_list.h that knows brackets; use that header instead.
// Immutable after Parse; safe from any thread.
#ifndef PMU_COMMON_HOST_PATTERN_H_
#define PMU_COMMON_HOST_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu {

// Bytes of one host name with its port: DNS allows 253 for the name.
inline constexpr size_t kMaxHostBytes = 260;
// Digits of one number in brackets; 64 bits hold any 18.
inline constexpr size_t kMaxRangeDigits = 18;

// A number as names carry it: at least `width` digits, filled up with zeros.
std::string PaddedNumber(uint64_t number, size_t width);

class HostPattern {
 public:
  // Nothing is expanded here. INVALID_ARGUMENT: what is wrong with the item;
  // the message names no position of the item in its list.
  static absl::StatusOr<HostPattern> Parse(absl::string_view item);

  // How many hosts Expand would return; UINT64_MAX when that does not fit.
  uint64_t HostCount() const;

  // All hosts, the last bracket running fastest. Check HostCount() before.
  std::vector<std::string> Expand() const;

 private:
  // first to last, each padded with zeros to `width` digits; 0: not padded.
  struct Range {
    uint64_t first;
    uint64_t last;
    size_t width;
  };
  // Text, then what may stand in the bracket that follows; none at the end.
  struct Piece {
    std::string text;
    std::vector<Range> ranges;
  };

  static absl::StatusOr<Range> ParseRange(absl::string_view token);
  static absl::StatusOr<std::vector<Range>> ParseRanges(absl::string_view bracket);
  absl::Status ParsePieces(absl::string_view item);
  size_t LongestHostBytes() const;

  std::vector<Piece> pieces_;
};

}  // namespace pmu

#endif  // PMU_COMMON_HOST_PATTERN_H_
