#include "client/report/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::client {
namespace {

// Inserts ',' into the digits before the decimal point.
std::string GroupDigits(const std::string& number) {
  const size_t first = number.find_first_of("0123456789");
  if (first == std::string::npos) return number;
  size_t last = number.find_first_not_of("0123456789", first);
  if (last == std::string::npos) last = number.size();
  std::string grouped = number.substr(0, first);
  for (size_t i = first; i < last; ++i) {
    if (i > first && (last - i) % 3 == 0) grouped += ',';
    grouped += number[i];
  }
  return grouped + number.substr(last);
}

// Length of the UTF-8 character that `text` starts with; 0 when it is none
// (RFC 3629, section 4: no overlong forms, no surrogates, up to U+10FFFF).
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto tail = [&](size_t i, int low, int high) { return byte(i) >= low && byte(i) <= high; };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1, 0x80, 0xbf) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = tail(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && tail(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = tail(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && tail(2, 0x80, 0xbf) && tail(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string DecimalText(double number, int decimals) {
  if (!std::isfinite(number)) return "-";
  return GroupDigits(absl::StrFormat("%.*f", decimals, number));
}

std::string SignificantText(double number) {
  const double size = std::fabs(number);
  if (size == 0 || size >= 1000) return DecimalText(number, 0);
  if (size >= 100) return DecimalText(number, 1);
  if (size >= 10) return DecimalText(number, 2);
  if (size >= 0.1) return DecimalText(number, 3);
  if (size >= 0.0001) return DecimalText(number, 6);
  return std::isfinite(number) ? absl::StrFormat("%.3e", number) : "-";
}

std::string MillisecondsText(int64_t nanoseconds) {
  return absl::StrCat(DecimalText(nanoseconds / 1e6, 3), " ms");
}

std::string SecondsText(int64_t nanoseconds) {
  return absl::StrCat(DecimalText(nanoseconds / 1e9, 3), " s");
}

std::string PercentText(double share) {
  if (share >= 1) return "100%";
  if (share <= 0) return "0%";
  if (share >= 0.9995) return ">99.9%";
  if (share < 0.0005) return "<0.1%";
  return absl::StrCat(DecimalText(share * 100, 1), "%");
}

std::string PlainNumber(double number) {
  if (!std::isfinite(number)) return "";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return std::string(buffer.data(), end.ptr);
}

std::string PlainNumber(absl::uint128 number) { return absl::StrFormat("%d", number); }

std::string ValidUtf8(absl::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    absl::StrAppend(&valid, length == 0 ? "\xef\xbf\xbd" : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::string Printable(absl::string_view text) {
  std::string safe;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    // U+0080 to U+009F are control characters too (CSI is one of them).
    const bool c1 = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
    safe += byte < 0x20 || byte == 0x7f || c1 ? '?' : text[i];
    if (c1) ++i;
  }
  return safe;
}

}  // namespace pmu::client
