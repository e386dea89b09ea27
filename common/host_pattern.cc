#include "common/host_pattern.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text.h"

namespace pmu {
namespace {

bool IsPadded(absl::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

// "[fe80::1]:50051" is an address, "[1-4].rack" is a range: only an address
// has a colon in its first bracket.
bool IsIpv6(absl::string_view item) {
  return absl::StartsWith(item, "[") && absl::StrContains(item.substr(0, item.find(']')), ":");
}

// Text outside brackets. What stands where is HostTarget's to check.
bool IsHostChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
         c == ':';
}

absl::Status CheckText(absl::string_view text) {
  for (const char c : text) {
    if (IsHostChar(c)) continue;
    if (c == ']') return absl::InvalidArgumentError("']' without a '[' before it");
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(
          absl::StrCat("white space inside ", Quote(text), "; separate hosts by ','"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("character ", Quote(absl::string_view(&c, 1)), " cannot stand in a host"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PaddedNumber(uint64_t number, size_t width) {
  std::string digits = absl::StrCat(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

absl::StatusOr<HostPattern> HostPattern::Parse(absl::string_view item) {
  HostPattern pattern;
  if (absl::StartsWith(item, "unix:") || IsIpv6(item)) {
    pattern.pieces_.push_back(Piece{std::string(item), {}});
  } else {
    absl::Status status = pattern.ParsePieces(item);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(Quote(item), ": ", status.message()));
    }
  }
  if (pattern.LongestHostBytes() > kMaxHostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quote(item), ": a host has more than ", kMaxHostBytes, " bytes, the limit"));
  }
  return pattern;
}

absl::Status HostPattern::ParsePieces(absl::string_view item) {
  while (!item.empty()) {
    const size_t open = std::min(item.find('['), item.size());
    Piece piece{std::string(item.substr(0, open)), {}};
    absl::Status status = CheckText(piece.text);
    if (!status.ok()) return status;
    item.remove_prefix(open);
    if (!item.empty()) {
      const size_t close = item.find(']');
      if (close == absl::string_view::npos) {
        return absl::InvalidArgumentError("']' is missing after '['");
      }
      absl::StatusOr<std::vector<Range>> ranges = ParseRanges(item.substr(1, close - 1));
      if (!ranges.ok()) return ranges.status();
      piece.ranges = *std::move(ranges);
      item.remove_prefix(close + 1);
    }
    pieces_.push_back(std::move(piece));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HostPattern::Range>> HostPattern::ParseRanges(
    absl::string_view bracket) {
  if (absl::StrContains(bracket, "[")) {
    return absl::InvalidArgumentError("brackets cannot be nested");
  }
  std::vector<Range> ranges;
  for (const absl::string_view token : absl::StrSplit(bracket, ',')) {
    absl::StatusOr<Range> range = ParseRange(absl::StripAsciiWhitespace(token));
    if (!range.ok()) return range.status();
    ranges.push_back(*range);
  }
  return ranges;
}

absl::StatusOr<HostPattern::Range> HostPattern::ParseRange(absl::string_view token) {
  const auto error = [token](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(token), " in brackets ", what));
  };
  const size_t dash = token.find('-');
  const absl::string_view first_text = token.substr(0, dash);
  const absl::string_view last_text =
      dash == absl::string_view::npos ? first_text : token.substr(dash + 1);
  if (std::max(first_text.size(), last_text.size()) > kMaxRangeDigits) {
    return error(absl::StrCat("has a number of more than ", kMaxRangeDigits, " digits"));
  }
  const absl::optional<uint64_t> first = ParseDigits(first_text);
  const absl::optional<uint64_t> last = ParseDigits(last_text);
  if (!first || !last) return error("is no number and no range such as 01-16");
  if (*first > *last) return error("runs backwards");
  if (IsPadded(last_text) && last_text.size() != first_text.size()) {
    return error("pads its two ends to different widths");
  }
  return Range{*first, *last, IsPadded(first_text) ? first_text.size() : 0};
}

uint64_t HostPattern::HostCount() const {
  uint64_t product = 1;
  for (const Piece& piece : pieces_) {
    if (piece.ranges.empty()) continue;
    uint64_t sum = 0;
    // Ends have at most 18 digits and a list 1 MiB, but a sum may still wrap.
    for (const Range& range : piece.ranges) {
      if (__builtin_add_overflow(sum, range.last - range.first + 1, &sum)) return UINT64_MAX;
    }
    if (__builtin_mul_overflow(product, sum, &product)) return UINT64_MAX;
  }
  return product;
}

size_t HostPattern::LongestHostBytes() const {
  size_t total = 0;
  for (const Piece& piece : pieces_) {
    size_t longest = 0;
    for (const Range& range : piece.ranges) {
      longest = std::max(longest, PaddedNumber(range.last, range.width).size());
    }
    total += piece.text.size() + longest;
  }
  return total;
}

std::vector<std::string> HostPattern::Expand() const {
  std::vector<std::string> hosts = {""};
  for (const Piece& piece : pieces_) {
    std::vector<std::string> longer;
    for (const std::string& host : hosts) {
      if (piece.ranges.empty()) longer.push_back(absl::StrCat(host, piece.text));
      for (const Range& range : piece.ranges) {
        for (uint64_t number = range.first; number <= range.last; ++number) {
          longer.push_back(absl::StrCat(host, piece.text, PaddedNumber(number, range.width)));
        }
      }
    }
    hosts = std::move(longer);
  }
  return hosts;
}

}  // namespace pmu
