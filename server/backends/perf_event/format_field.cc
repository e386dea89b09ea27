#include "server/backends/perf_event/format_field.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace pmu::server {
namespace {

absl::Status NotAFormat(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("format '", text, "': ", why));
}

absl::StatusOr<ConfigWord> ParseWord(absl::string_view text, absl::string_view word) {
  if (word == "config") return ConfigWord::kConfig;
  if (word == "config1") return ConfigWord::kConfig1;
  if (word == "config2") return ConfigWord::kConfig2;
  if (word == "config3" || word == "config4") {
    return absl::UnimplementedError(
        absl::StrCat("format '", text, "': ", word, " is not supported (config to config2 are)"));
  }
  return NotAFormat(text, absl::StrCat("'", word, "' is not config, config1 or config2"));
}

bool ParseBit(absl::string_view text, int* bit) {
  // SimpleAtoi alone would take " 3" and "+3".
  if (text.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return false;
  return absl::SimpleAtoi(text, bit);
}

}  // namespace

absl::StatusOr<FormatField> FormatField::Parse(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const absl::StatusOr<ConfigWord> word = ParseWord(text, halves.first);
  if (!word.ok()) return word.status();
  if (halves.second.empty()) return NotAFormat(text, "no bits are named");

  std::vector<int> bits;
  uint64_t seen = 0;
  for (const absl::string_view piece : absl::StrSplit(halves.second, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(piece, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !ParseBit(ends.front(), &first) || !ParseBit(ends.back(), &last)) {
      return NotAFormat(text, absl::StrCat("'", piece, "' is not a bit or a range of bits"));
    }
    if (last < first) return NotAFormat(text, absl::StrCat("'", piece, "' runs backwards"));
    if (last > 63) return NotAFormat(text, absl::StrCat("'", piece, "' goes beyond bit 63"));
    for (int bit = first; bit <= last; ++bit) {
      if ((seen >> bit) & 1) return NotAFormat(text, absl::StrCat("bit ", bit, " comes twice"));
      seen |= uint64_t{1} << bit;
      bits.push_back(bit);
    }
  }
  return FormatField(*word, std::move(bits));
}

FormatField FormatField::WholeWord(ConfigWord word) {
  std::vector<int> bits;
  for (int bit = 0; bit < 64; ++bit) bits.push_back(bit);
  return FormatField(word, std::move(bits));
}

FormatField::FormatField(ConfigWord word, std::vector<int> bits)
    : word_(word), bits_(std::move(bits)) {}

uint64_t FormatField::largest() const {
  return bits_.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << bits_.size()) - 1;
}

uint64_t FormatField::mask() const { return Scatter(largest()); }

uint64_t FormatField::Scatter(uint64_t field_value) const {
  uint64_t word = 0;
  for (size_t i = 0; i < bits_.size(); ++i) {
    word |= ((field_value >> i) & 1) << bits_[i];
  }
  return word;
}

}  // namespace pmu::server
