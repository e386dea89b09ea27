// number_text.h: numbers as people read them, and as programs read them.
//
// The same bytes in every locale. Pure functions; safe from any thread.
#ifndef PMU_CLIENT_REPORT_NUMBER_TEXT_H_
#define PMU_CLIENT_REPORT_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace pmu::client {

// 1234.5678 with 2 decimals -> "1,234.57". "-" when not finite.
std::string DecimalText(double number, int decimals);

// Enough decimals to show about four digits: "1,234", "123.4", "0.01234".
std::string SignificantText(double number);

// Nanoseconds as milliseconds or seconds: "0.041 ms", "5.000 s".
std::string MillisecondsText(int64_t nanoseconds);
std::string SecondsText(int64_t nanoseconds);

// A share as "75.0%". 100% only when it is all of it, 0% only when nothing.
std::string PercentText(double share);

// For programs: no separators, the shortest text that reads back as the same
// double; "" when not finite.
std::string PlainNumber(double number);
std::string PlainNumber(absl::uint128 number);

// `text` with U+FFFD for every byte that is not part of UTF-8 (RFC 3629).
std::string ValidUtf8(absl::string_view text);

// Text from another machine made safe for a terminal: control characters
// (escape sequences, line breaks) become '?'.
std::string Printable(absl::string_view text);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_NUMBER_TEXT_H_
