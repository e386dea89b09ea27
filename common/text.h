// text.h: numbers and words as people read them, the same in every locale.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_COMMON_TEXT_H_
#define PMU_COMMON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu {

// A number written with the digits 0 to 9 and nothing else (no sign, no white
// space). nullopt: anything else, empty, or more than 64 bits.
absl::optional<uint64_t> ParseDigits(absl::string_view text);

// `text` in double quotes for an error message: control and non-ASCII bytes
// escaped, cut after `max_bytes` with "..." so that one line stays one line.
std::string Quote(absl::string_view text, size_t max_bytes = 60);

// 1234567 -> "1,234,567".
std::string FormatCount(absl::uint128 count);

// Three significant digits and an SI prefix, for narrow columns: 999 -> "999",
// 1234567 -> "1.23M", 2.5e9 -> "2.50G". Below 1: plain, "0.250".
std::string FormatShort(double number);

// A span of time in the largest unit that leaves at least 1: "250ns",
// "1.234us", "56.789ms", "3.500s", "2m05s", "3h02m". Negative: with a '-'.
std::string FormatDuration(int64_t duration_ns);

// Terminal columns that UTF-8 text takes: 0 for combining marks, 2 for East
// Asian wide characters, 1 for others and for each malformed byte.
size_t DisplayWidth(absl::string_view text);

// `text` filled up with blanks to `width` columns; longer text stays as it is.
std::string PadRight(absl::string_view text, size_t width);
std::string PadLeft(absl::string_view text, size_t width);

}  // namespace pmu

#endif  // PMU_COMMON_TEXT_H_
