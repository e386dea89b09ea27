#include "server/journal/journal_format.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/text.h"

namespace pmu::server {
namespace {

// More than one session can change; a journal that claims more is damaged.
constexpr size_t kMaxStepsPerRecord = 1 << 20;

bool IsPlain(char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '%'; }

std::string EscapeWord(absl::string_view word) {
  std::string out;
  for (const char c : word) {
    if (IsPlain(c)) {
      out += c;
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return out.empty() ? "%" : out;  // a word must not vanish
}

bool UnescapeWord(absl::string_view word, std::string* out) {
  out->clear();
  if (word == "%") return true;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      *out += word[i];
      continue;
    }
    uint32_t code = 0;
    if (i + 2 >= word.size() || !absl::SimpleHexAtoi(word.substr(i + 1, 2), &code)) return false;
    *out += static_cast<char>(code);
    i += 2;
  }
  return true;
}

// SimpleAtoi and SimpleHexAtoi would take signs and white space.
bool ParseDecimal(absl::string_view word, uint64_t* out) {
  const absl::optional<uint64_t> number = ParseDigits(word);
  if (number) *out = *number;
  return number.has_value();
}

bool ParseHex(absl::string_view word, uint64_t* out) {
  if (!absl::ConsumePrefix(&word, "0x") || word.empty() || word.size() > 16) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }) &&
         absl::SimpleHexAtoi(word, out);
}

bool ParseCpu(absl::string_view word, int* out) {
  uint64_t number = 0;
  if (word == "-1") {
    *out = -1;
    return true;
  }
  if (!ParseDecimal(word, &number) || number > 1'000'000) return false;
  *out = static_cast<int>(number);
  return true;
}

bool ParseStep(const std::vector<absl::string_view>& words, RestoreStep* step) {
  return words.size() == 5 && UnescapeWord(words[1], &step->device) &&
         ParseCpu(words[2], &step->cpu) && ParseHex(words[3], &step->address) &&
         ParseHex(words[4], &step->data);
}

// Goes through the lines; `record_` is the block that is open.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  JournalContents Read() {
    while (at_ < text_.size()) ReadLine();
    if (in_record_) Problem("a record that was not finished: nothing was changed yet");
    RemoveUndone();
    return std::move(contents_);
  }

 private:
  void ReadLine() {
    line_begin_ = at_;
    ++line_number_;
    const size_t newline = text_.find('\n', at_);
    if (newline == absl::string_view::npos) {
      at_ = text_.size();
      if (!in_record_) Problem("a line that was not finished");
      return;  // an open record is reported at the end
    }
    const absl::string_view line = text_.substr(at_, newline - at_);
    at_ = newline + 1;
    Take(absl::StrSplit(line, ' '));
  }

  void Take(const std::vector<absl::string_view>& words) {
    if (words[0] == "begin") {
      Begin(words);
    } else if (words[0] == "step") {
      Step(words);
    } else if (words[0] == "end") {
      End(words);
    } else if (words[0] == "undone") {
      Undone(words);
    } else {
      in_record_ = false;
      Problem("not a line of a journal");
    }
  }

  void Begin(const std::vector<absl::string_view>& words) {
    if (in_record_) Problem("a record begins inside a record that was not finished");
    record_ = {};
    record_begin_ = line_begin_;
    in_record_ = words.size() == 3 && ParseDecimal(words[1], &record_.ticket) &&
                 UnescapeWord(words[2], &record_.boot_id);
    if (!in_record_) {
      Problem("malformed begin");
      return;
    }
    contents_.last_ticket = std::max(contents_.last_ticket, record_.ticket);
  }

  void Step(const std::vector<absl::string_view>& words) {
    if (!in_record_) return;  // of a record already found damaged
    RestoreStep step;
    if (!ParseStep(words, &step) || record_.steps.size() >= kMaxStepsPerRecord) {
      in_record_ = false;
      Problem("malformed step: the record is not used");
      return;
    }
    record_.steps.push_back(std::move(step));
  }

  void End(const std::vector<absl::string_view>& words) {
    if (!in_record_) return;
    in_record_ = false;
    uint64_t ticket = 0;
    uint64_t crc = 0;
    if (words.size() != 3 || !ParseDecimal(words[1], &ticket) || ticket != record_.ticket ||
        words[2].size() != 8 || !ParseHex(absl::StrCat("0x", words[2]), &crc) ||
        crc != Crc32(text_.substr(record_begin_, line_begin_ - record_begin_))) {
      Problem("a record with a wrong checksum: it is not used");
      return;
    }
    contents_.outstanding.push_back(std::move(record_));
  }

  void Undone(const std::vector<absl::string_view>& words) {
    uint64_t ticket = 0;
    if (in_record_) Problem("a record that was not finished: nothing was changed yet");
    in_record_ = false;
    if (words.size() == 2 && ParseDecimal(words[1], &ticket)) {
      undone_.insert(ticket);
    } else {
      Problem("malformed undone");
    }
  }

  void RemoveUndone() {
    std::vector<JournalRecord>& records = contents_.outstanding;
    records.erase(std::remove_if(records.begin(), records.end(),
                                 [this](const JournalRecord& record) {
                                   return undone_.count(record.ticket) != 0;
                                 }),
                  records.end());
  }

  void Problem(absl::string_view what) {
    contents_.problems.push_back(absl::StrCat("line ", line_number_, ": ", what));
  }

  const absl::string_view text_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  int line_number_ = 0;
  bool in_record_ = false;
  size_t record_begin_ = 0;
  JournalRecord record_;
  std::set<RestoreJournal::Ticket> undone_;
  JournalContents contents_;
};

}  // namespace

uint32_t Crc32(absl::string_view text) {
  uint32_t crc = 0xffffffff;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::string FormatJournalRecord(const JournalRecord& record) {
  std::string text = absl::StrCat("begin ", record.ticket, " ", EscapeWord(record.boot_id), "\n");
  for (const RestoreStep& step : record.steps) {
    absl::StrAppendFormat(&text, "step %s %d 0x%x 0x%x\n", EscapeWord(step.device), step.cpu,
                          step.address, step.data);
  }
  absl::StrAppendFormat(&text, "end %d %08x\n", record.ticket, Crc32(text));
  return text;
}

std::string FormatUndone(RestoreJournal::Ticket ticket) {
  return absl::StrCat("undone ", ticket, "\n");
}

JournalContents ParseJournal(absl::string_view text) { return Reader(text).Read(); }

}  // namespace pmu::server
