#include "common/event_spec.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/text.h"

namespace pmu {
namespace {

constexpr size_t kMaxRawDigits = 16;
constexpr int kMaxPrecise = 3;
constexpr absl::string_view kModifierLetters = "ukhGHpD";
// Letters of perf that say how to sample or to schedule, not what to count.
constexpr absl::string_view kUncountableLetters = "PSWIebRX";

bool IsNameChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

bool IsValueChar(char c) {
  return absl::ascii_isgraph(static_cast<unsigned char>(c)) &&
         absl::string_view(",/={}\"'\\").find(c) == absl::string_view::npos;
}

bool IsHexDigit(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }

// Of a hex digit.
uint64_t HexDigit(char c) {
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return static_cast<uint64_t>(lower <= '9' ? lower - '0' : lower - ('a' - 10));
}

bool ConsistsOf(absl::string_view text, absl::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == absl::string_view::npos;
}

// An 'r' and nothing but hex digits, however many.
bool LooksRaw(absl::string_view token) {
  return token.size() > 1 && token[0] == 'r' &&
         std::all_of(token.begin() + 1, token.end(), IsHexDigit);
}

absl::Status ErrorAt(size_t position, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("event list, position ", position, ": ", what));
}

absl::Status LimitAt(size_t position, absl::string_view what) {
  return absl::ResourceExhaustedError(absl::StrCat("event list, position ", position, ": ", what));
}

absl::Status CheckRawDigits(absl::string_view token, size_t position) {
  if (token.size() - 1 <= kMaxRawDigits) return absl::OkStatus();
  return ErrorAt(position, absl::StrCat("raw event ", Quote(token), " has ", token.size() - 1,
                                        " hex digits; the limit is ", kMaxRawDigits));
}

// Sets what `letters`, all known, ask for, and appends them to what was there.
absl::Status AddModifiers(absl::string_view letters, size_t position, EventModifiers* modifiers) {
  for (const char letter : letters) {
    switch (letter) {
      case 'u':
        modifiers->user = true;
        break;
      case 'k':
        modifiers->kernel = true;
        break;
      case 'h':
        modifiers->hypervisor = true;
        break;
      case 'G':
        modifiers->guest = true;
        break;
      case 'H':
        modifiers->host = true;
        break;
      case 'D':
        modifiers->pinned = true;
        break;
      case 'p':
        if (++modifiers->precise > kMaxPrecise) {
          return ErrorAt(position, absl::StrCat("more than ", kMaxPrecise, " 'p' in modifiers ",
                                                Quote(letters)));
        }
        break;
      default:
        return ErrorAt(position, absl::StrCat("unknown modifier '", absl::string_view(&letter, 1),
                                              "' in ", Quote(letters)));
    }
  }
  modifiers->letters.append(letters.data(), letters.size());
  return absl::OkStatus();
}

// Recursive descent over the whole text; `at_` is the next byte.
class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<EventSpec>> ParseList();

 private:
  absl::Status ParseItem();
  absl::Status ParseGroup();
  absl::Status ParseEvent();
  absl::Status ParseEventBody(EventSpec* spec);
  absl::Status ParseTerms(EventSpec* spec);
  absl::Status ParseTerm(size_t open_position, EventSpec* spec);
  absl::Status ParseNameSuffix(EventSpec* spec);
  absl::Status ParseModifiers(absl::string_view after, EventModifiers* modifiers);
  absl::Status MissingSlash(size_t open_position, const EventSpec& spec) const;
  absl::Status Unexpected(absl::string_view wanted) const;

  bool AtEnd() const { return at_ == text_.size(); }
  bool Next(char c) const { return !AtEnd() && text_[at_] == c; }
  bool Take(char c) {
    if (!Next(c)) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (!AtEnd() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  template <typename Predicate>
  absl::string_view TakeWhile(Predicate predicate) {
    const size_t begin = at_;
    while (!AtEnd() && predicate(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Of the next byte, from 1.
  size_t Position() const { return at_ + 1; }

  absl::string_view text_;
  size_t at_ = 0;
  int group_count_ = 0;
  int group_ = 0;  // Number of the open group; 0: none.
  std::vector<EventSpec> specs_;
};

absl::Status Parser::Unexpected(absl::string_view wanted) const {
  if (AtEnd()) return ErrorAt(Position(), absl::StrCat(wanted, " expected at the end"));
  return ErrorAt(Position(),
                 absl::StrCat(wanted, " expected, found ", Quote(text_.substr(at_), 20)));
}

absl::StatusOr<std::vector<EventSpec>> Parser::ParseList() {
  if (text_.size() > kMaxEventTextBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("event list: ", text_.size(), " bytes; the limit is ", kMaxEventTextBytes));
  }
  SkipSpace();
  if (AtEnd()) return absl::InvalidArgumentError("event list: empty; name at least one event");
  do {
    absl::Status status = ParseItem();
    if (!status.ok()) return status;
  } while (Take(','));
  if (Next('}')) return ErrorAt(Position(), "'}' without a '{' before it");
  if (!AtEnd()) return Unexpected("','");
  return std::move(specs_);
}

absl::Status Parser::ParseItem() {
  SkipSpace();
  absl::Status status = Next('{') ? ParseGroup() : ParseEvent();
  SkipSpace();
  return status;
}

absl::Status Parser::ParseGroup() {
  const size_t open_position = Position();
  const size_t first_member = specs_.size();
  ++at_;  // The brace.
  group_ = ++group_count_;
  do {
    SkipSpace();
    if (Next('{'))
      return ErrorAt(Position(), "groups cannot be nested; close the first '{' before");
    absl::Status status = ParseEvent();
    if (!status.ok()) return status;
    SkipSpace();
  } while (Take(','));
  if (AtEnd()) {
    return ErrorAt(open_position, absl::StrCat("group not closed; '}' missing after ",
                                               Quote(text_.substr(open_position - 1))));
  }
  if (!Take('}')) return Unexpected("',' or '}'");
  group_ = 0;
  if (!Take(':')) return absl::OkStatus();

  const size_t modifiers_position = Position();
  EventModifiers group_modifiers;
  absl::Status status = ParseModifiers("the group", &group_modifiers);
  for (size_t i = first_member; status.ok() && i < specs_.size(); ++i) {
    status = AddModifiers(group_modifiers.letters, modifiers_position, &specs_[i].modifiers);
  }
  return status;
}

absl::Status Parser::ParseEvent() {
  if (AtEnd() || Next(',') || Next('}')) {
    return ErrorAt(Position(), "an event is missing here; remove the ',' or name one");
  }
  if (specs_.size() == kMaxEvents) {
    return LimitAt(Position(), absl::StrCat("more than ", kMaxEvents, " events"));
  }
  const size_t begin = at_;
  EventSpec spec;
  spec.position = Position();
  spec.group = group_;
  absl::Status status = ParseEventBody(&spec);
  if (!status.ok()) return status;
  spec.text = std::string(text_.substr(begin, at_ - begin));
  specs_.push_back(std::move(spec));
  return absl::OkStatus();
}

absl::Status Parser::ParseEventBody(EventSpec* spec) {
  const absl::string_view name = TakeWhile(IsNameChar);
  if (name.empty()) return Unexpected("an event name");
  if (name[0] == '-' || name[0] == '.') {
    return ErrorAt(spec->position, absl::StrCat("event name ", Quote(name),
                                                " must start with a letter or a digit"));
  }
  if (Next('/')) {
    spec->form = EventForm::kPmu;
    spec->pmu = std::string(name);
    return ParseTerms(spec);
  }
  spec->name = std::string(name);
  if (name == "r") {
    return ErrorAt(spec->position,
                   absl::StrCat("\"r\" needs 1 to ", kMaxRawDigits, " hex digits, such as r1a8"));
  }
  if (LooksRaw(name)) {
    absl::Status status = CheckRawDigits(name, spec->position);
    if (!status.ok()) return status;
    spec->form = EventForm::kRaw;
    for (const char digit : name.substr(1)) {
      spec->raw_config = spec->raw_config << 4 | HexDigit(digit);
    }
    if (!Take(':')) return absl::OkStatus();
    return ParseModifiers(name, &spec->modifiers);
  }
  return Take(':') ? ParseNameSuffix(spec) : absl::OkStatus();
}

// After "name:": modifiers, or the event of a tracepoint.
absl::Status Parser::ParseNameSuffix(EventSpec* spec) {
  const size_t position = Position();
  const absl::string_view suffix = TakeWhile(IsNameChar);
  if (suffix.empty()) return Unexpected("modifiers or the event of a tracepoint");
  const bool two_names = Take(':');
  if (!two_names && ConsistsOf(suffix, kModifierLetters)) {
    return AddModifiers(suffix, position, &spec->modifiers);
  }
  if (!two_names && ConsistsOf(suffix, absl::StrCat(kModifierLetters, kUncountableLetters))) {
    at_ = position - 1;
    return ParseModifiers(spec->name, &spec->modifiers);
  }
  spec->form = EventForm::kTracepoint;
  spec->pmu = std::move(spec->name);
  spec->name = std::string(suffix);
  return two_names ? ParseModifiers(suffix, &spec->modifiers) : absl::OkStatus();
}

absl::Status Parser::MissingSlash(size_t open_position, const EventSpec& spec) const {
  return ErrorAt(open_position,
                 absl::StrCat("closing '/' missing after ",
                              Quote(text_.substr(spec.position - 1, at_ - (spec.position - 1)))));
}

absl::Status Parser::ParseTerms(EventSpec* spec) {
  const size_t open_position = Position();
  ++at_;  // The slash.
  SkipSpace();
  if (!Next('/')) {
    do {
      absl::Status status = ParseTerm(open_position, spec);
      if (!status.ok()) return status;
    } while (Take(','));
  }
  if (!Take('/')) {
    if (AtEnd() || Next('}') || Next('{')) return MissingSlash(open_position, *spec);
    return Unexpected("',' or '/'");
  }
  const bool colon = Take(':');
  if (colon || (!AtEnd() && IsNameChar(text_[at_]))) {
    return ParseModifiers("the closing '/'", &spec->modifiers);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseTerm(size_t open_position, EventSpec* spec) {
  SkipSpace();
  EventTerm term;
  term.position = Position();
  const absl::string_view name = TakeWhile(IsNameChar);
  if (name.empty()) {
    if (AtEnd()) return MissingSlash(open_position, *spec);
    if (Next(',') || Next('/'))
      return ErrorAt(Position(), "a term is missing here; remove the ','");
    return Unexpected("a term");
  }
  if (spec->terms.size() == kMaxTermsPerEvent) {
    return LimitAt(term.position,
                   absl::StrCat("more than ", kMaxTermsPerEvent, " terms in one event"));
  }
  term.name = std::string(name);
  if (Take('=')) {
    const absl::string_view value = TakeWhile(IsValueChar);
    if (value.empty()) {
      return ErrorAt(Position(),
                     absl::StrCat("value missing after ", Quote(absl::StrCat(name, "="))));
    }
    term.value = std::string(value);
    term.has_value = true;
  } else if (LooksRaw(name)) {
    absl::Status status = CheckRawDigits(name, term.position);
    if (!status.ok()) return status;
  }
  SkipSpace();
  spec->terms.push_back(std::move(term));
  return absl::OkStatus();
}

// Takes the letters at the current place; `after` says what they belong to.
absl::Status Parser::ParseModifiers(absl::string_view after, EventModifiers* modifiers) {
  const size_t position = Position();
  const absl::string_view letters = TakeWhile(IsNameChar);
  if (letters.empty()) return Unexpected(absl::StrCat("modifiers after ", after));
  const size_t bad = letters.find_first_not_of(kModifierLetters);
  if (bad == absl::string_view::npos) return AddModifiers(letters, position, modifiers);
  const absl::string_view letter = letters.substr(bad, 1);
  if (ConsistsOf(letter, kUncountableLetters)) {
    return ErrorAt(position + bad, absl::StrCat("modifier '", letter, "' in ", Quote(letters),
                                                " is for sampling or scheduling; counting takes ",
                                                kModifierLetters));
  }
  return ErrorAt(position + bad,
                 absl::StrCat("unknown modifier ", Quote(letter), " in ", Quote(letters), " after ",
                              after, "; known are ", kModifierLetters));
}

}  // namespace

absl::StatusOr<uint64_t> EventTermNumber(const EventTerm& term) {
  if (!term.has_value) return uint64_t{1};
  absl::string_view digits = term.value;
  uint64_t base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  uint64_t number = 0;
  bool valid = !digits.empty();
  bool fits = true;
  for (const char c : digits) {
    const uint64_t digit = IsHexDigit(c) ? HexDigit(c) : 16;
    valid = valid && digit < base;
    fits = fits && !__builtin_mul_overflow(number, base, &number) &&
           !__builtin_add_overflow(number, digit, &number);
  }
  if (valid && fits) return number;
  return ErrorAt(
      term.position,
      absl::StrCat("value ", Quote(term.value), " of term ", Quote(term.name),
                   valid ? " is above 64 bits" : " is not a number (decimal, 0x hex or 0 octal)"));
}

absl::StatusOr<std::vector<EventSpec>> ParseEventList(absl::string_view text) {
  return Parser(text).ParseList();
}

}  // namespace pmu
