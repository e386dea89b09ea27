#include "common/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu {
namespace {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

// Blocks of combining marks and zero-width characters (Unicode 15, Mn and Cf
// of the scripts met in names and units; sorted).
constexpr CodePointRange kZeroWidth[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},   {0x20d0, 0x20f0}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

// Blocks that are wide as a whole (Unicode 15, East_Asian_Width W and F).
constexpr CodePointRange kWide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

template <size_t N>
bool Contains(const CodePointRange (&table)[N], uint32_t code_point) {
  return std::any_of(std::begin(table), std::end(table), [&](const CodePointRange& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

// Takes one character off the front of `text`; a malformed byte is one
// character, U+FFFD.
uint32_t TakeCodePoint(absl::string_view* text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>((*text)[i]); };
  const unsigned char first = byte(0);
  size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  uint32_t code_point = length == 1 ? first : first & (0x7fu >> length);
  bool valid = first < 0x80 || (first >= 0xc2 && first <= 0xf4);
  if (length > text->size()) valid = false;
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xc0) == 0x80;
    code_point = code_point << 6 | (byte(i) & 0x3fu);
  }
  text->remove_prefix(valid ? length : 1);
  return valid ? code_point : 0xfffd;
}

}  // namespace

absl::optional<uint64_t> ParseDigits(absl::string_view text) {
  if (text.empty()) return absl::nullopt;
  uint64_t number = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return absl::nullopt;
    if (__builtin_mul_overflow(number, uint64_t{10}, &number) ||
        __builtin_add_overflow(number, static_cast<uint64_t>(c - '0'), &number)) {
      return absl::nullopt;
    }
  }
  return number;
}

std::string Quote(absl::string_view text, size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, max_bytes)), cut ? "..." : "", "\"");
}

std::string FormatCount(absl::uint128 count) {
  std::string reversed;
  int digits = 0;
  do {
    if (digits > 0 && digits % 3 == 0) reversed.push_back(',');
    reversed.push_back(static_cast<char>('0' + static_cast<int>(count % 10)));
    count /= 10;
    ++digits;
  } while (count > 0);
  return std::string(reversed.rbegin(), reversed.rend());
}

std::string FormatShort(double number) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  if (!std::isfinite(number)) return absl::StrFormat("%g", number);
  size_t prefix = 0;
  double scaled = std::fabs(number);
  // 999.5 would print as "1000", so the next prefix starts there.
  while (scaled >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    scaled /= 1000;
    ++prefix;
  }
  const char* sign = number < 0 ? "-" : "";
  if (prefix == 0 && scaled == std::floor(scaled)) return absl::StrFormat("%s%.0f", sign, scaled);
  const int decimals = scaled < 0.9995 ? 3 : scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return absl::StrFormat("%s%.*f%s", sign, decimals, scaled, kPrefixes[prefix]);
}

std::string FormatDuration(int64_t duration_ns) {
  const char* sign = duration_ns < 0 ? "-" : "";
  const uint64_t ns =
      duration_ns < 0 ? 0 - static_cast<uint64_t>(duration_ns) : static_cast<uint64_t>(duration_ns);
  // Cut, not rounded, so that no value shows as 1000 of its unit.
  const auto thousandths = [&](uint64_t unit_ns, const char* unit) {
    return absl::StrFormat("%s%d.%03d%s", sign, ns / unit_ns, ns % unit_ns / (unit_ns / 1000),
                           unit);
  };
  if (ns < 1'000) return absl::StrCat(sign, ns, "ns");
  if (ns < 1'000'000) return thousandths(1'000, "us");
  if (ns < 1'000'000'000) return thousandths(1'000'000, "ms");
  const uint64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) return thousandths(1'000'000'000, "s");
  if (seconds < 3600) return absl::StrFormat("%s%dm%02ds", sign, seconds / 60, seconds % 60);
  return absl::StrFormat("%s%dh%02dm", sign, seconds / 3600, seconds % 3600 / 60);
}

size_t DisplayWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const uint32_t code_point = TakeCodePoint(&text);
    if (Contains(kZeroWidth, code_point)) continue;
    width += Contains(kWide, code_point) ? 2 : 1;
  }
  return width;
}

std::string PadRight(absl::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return absl::StrCat(text, std::string(width > used ? width - used : 0, ' '));
}

std::string PadLeft(absl::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return absl::StrCat(std::string(width > used ? width - used : 0, ' '), text);
}

}  // namespace pmu
