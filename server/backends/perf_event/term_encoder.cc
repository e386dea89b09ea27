#include "server/backends/perf_event/term_encoder.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/backends/perf_event/did_you_mean.h"

namespace pmu::server {
namespace {

constexpr size_t kMaxNamesInMessage = 24;

std::string Where(const EventTerm& term) {
  return term.position == 0 ? "" : absl::StrCat(" at position ", term.position);
}

bool LooksRaw(absl::string_view token) {
  return token.size() > 1 && token[0] == 'r' &&
         std::all_of(token.begin() + 1, token.end(),
                     [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

uint64_t& WordOf(EncodedTerms& encoded, ConfigWord word) {
  if (word == ConfigWord::kConfig1) return encoded.config1;
  if (word == ConfigWord::kConfig2) return encoded.config2;
  return encoded.config;
}

absl::Status UnknownTerm(const SysfsPmu& pmu, const EventTerm& term) {
  std::vector<std::string> known = pmu.TermNames();
  if (!term.has_value) {
    for (const std::string& alias : pmu.AliasNames()) known.push_back(alias);
  }
  std::string message =
      absl::StrCat("PMU '", pmu.name, "' has no ", term.has_value ? "term" : "event or term", " '",
                   term.name, "'", Where(term), DidYouMean(term.name, known));
  if (!term.has_value && LooksRaw(term.name)) {
    absl::StrAppend(&message, "; a raw number has at most 16 hex digits");
  }
  std::vector<std::string> terms = pmu.TermNames();
  const bool cut = terms.size() > kMaxNamesInMessage;
  if (cut) terms.resize(kMaxNamesInMessage);
  absl::StrAppend(&message, "; its terms: ", absl::StrJoin(terms, " "), cut ? " ..." : "");
  // A name alone may well be an event of another machine's PMU of that name.
  return term.has_value ? absl::InvalidArgumentError(message) : absl::NotFoundError(message);
}

absl::optional<ConfigWord> WholeWordOf(absl::string_view name) {
  if (name == "config") return ConfigWord::kConfig;
  if (name == "config1") return ConfigWord::kConfig1;
  if (name == "config2") return ConfigWord::kConfig2;
  return absl::nullopt;
}

absl::StatusOr<FormatField> FieldOf(const SysfsPmu& pmu, const EventTerm& term) {
  const auto format = pmu.formats.find(term.name);
  if (format != pmu.formats.end()) {
    if (format->second.ok()) return format->second;
    return absl::FailedPreconditionError(
        absl::StrCat("term '", term.name, "'", Where(term), " of PMU '", pmu.name,
                     "' is unusable: ", format->second.status().message()));
  }
  const absl::optional<ConfigWord> word = WholeWordOf(term.name);
  if (word.has_value()) return FormatField::WholeWord(*word);
  return UnknownTerm(pmu, term);
}

// The value of `term`, checked against its field.
absl::StatusOr<uint64_t> ValueFor(const SysfsPmu& pmu, const EventTerm& term,
                                  const FormatField& field) {
  const absl::StatusOr<uint64_t> number = EventTermNumber(term);
  if (!number.ok()) return number.status();
  if (*number <= field.largest()) return *number;
  return absl::InvalidArgumentError(absl::StrFormat(
      "term '%s'%s of PMU '%s': 0x%x is too large: the field has %d bits, largest is 0x%x (%u)",
      term.name, Where(term), pmu.name, *number, field.bit_count(), field.largest(),
      field.largest()));
}

// Splits user terms into the named event and the fields. A bare name that is a
// field is the field (as perf does), one that is an event is the event.
class TermSorter {
 public:
  explicit TermSorter(const SysfsPmu& pmu) : pmu_(pmu) {}

  absl::Status Sort(const std::vector<EventTerm>& terms) {
    for (const EventTerm& term : terms) {
      const absl::Status status = SortOne(term);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const EventAlias* alias() const { return alias_; }
  const std::vector<EventTerm>& fields() const { return fields_; }
  bool Gives(absl::string_view name) const { return names_.count(std::string(name)) > 0; }

 private:
  absl::Status SortOne(const EventTerm& term) {
    if (!term.has_value && pmu_.formats.count(term.name) == 0) {
      const auto alias = pmu_.aliases.find(term.name);
      if (alias != pmu_.aliases.end()) return TakeAlias(alias->second, term);
      const absl::optional<uint64_t> raw = ParseRawToken(term.name);
      if (raw.has_value()) {
        return TakeField({"config", absl::StrCat("0x", absl::Hex(*raw)), true, term.position});
      }
      return UnknownTerm(pmu_, term);
    }
    return TakeField(term);
  }

  absl::Status TakeAlias(const EventAlias& alias, const EventTerm& term) {
    if (alias_ != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("'", alias_->name, "' and '", term.name, "'",
                                                     Where(term),
                                                     " are two events; name one of them"));
    }
    alias_ = &alias;
    return absl::OkStatus();
  }

  absl::Status TakeField(EventTerm term) {
    if (!names_.insert(term.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("term '", term.name, "'", Where(term), " is given twice"));
    }
    fields_.push_back(std::move(term));
    return absl::OkStatus();
  }

  const SysfsPmu& pmu_;
  const EventAlias* alias_ = nullptr;
  std::vector<EventTerm> fields_;
  std::set<std::string> names_;
};

absl::Status CheckRequiredTerms(const SysfsPmu& pmu, const EventAlias& alias,
                                const TermSorter& given) {
  std::vector<std::string> missing;
  for (const std::string& name : alias.required_terms) {
    if (!given.Gives(name)) missing.push_back(name);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("event '", alias.name, "' of PMU '", pmu.name,
                                                 "' needs values for ", absl::StrJoin(missing, " "),
                                                 ": write ", pmu.name, "/", alias.name, ",",
                                                 absl::StrJoin(missing, "=N,"), "=N/"));
}

absl::Status InAlias(const EventAlias& alias, const absl::Status& status) {
  return absl::FailedPreconditionError(absl::StrCat("the kernel's description of event '",
                                                    alias.name,
                                                    "' in sysfs is unusable: ", status.message()));
}

absl::Status AddAlias(const SysfsPmu& pmu, const EventAlias& alias, const TermSorter& given,
                      EncodedTerms& encoded) {
  if (!alias.status.ok()) return alias.status;
  const absl::Status complete = CheckRequiredTerms(pmu, alias, given);
  if (!complete.ok()) return complete;
  for (const EventTerm& term : alias.terms) {
    if (given.Gives(term.name)) continue;
    const absl::StatusOr<FormatField> field = FieldOf(pmu, term);
    if (!field.ok()) return InAlias(alias, field.status());
    const absl::StatusOr<uint64_t> number = ValueFor(pmu, term, *field);
    if (!number.ok()) return InAlias(alias, number.status());
    WordOf(encoded, field->word()) |= field->Scatter(*number);
  }
  encoded.alias = &alias;
  return absl::OkStatus();
}

absl::Status AddFields(const SysfsPmu& pmu, const std::vector<EventTerm>& terms,
                       EncodedTerms& encoded) {
  EncodedTerms given;
  for (const EventTerm& term : terms) {
    const absl::StatusOr<FormatField> field = FieldOf(pmu, term);
    if (!field.ok()) return field.status();
    const absl::StatusOr<uint64_t> number = ValueFor(pmu, term, *field);
    if (!number.ok()) return number.status();
    // Fields may overlap: clear what the named event put there, then add.
    WordOf(encoded, field->word()) &= ~field->mask();
    WordOf(given, field->word()) |= field->Scatter(*number);
  }
  encoded.config |= given.config;
  encoded.config1 |= given.config1;
  encoded.config2 |= given.config2;
  return absl::OkStatus();
}

// The CCI-400 driver takes the number 0xff for its cycle counter, and source 7
// with event 0x1f makes exactly that number: it would count cycles
// (drivers/perf/arm-cci.c, CCI400_PMU_CYCLES).
absl::Status CheckCciCycles(const SysfsPmu& pmu, const EncodedTerms& encoded,
                            const TermSorter& given) {
  const bool by_fields = given.Gives("source") || given.Gives("event");
  if (!absl::StartsWith(pmu.name, "CCI_400") || encoded.config != 0xff || !by_fields) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("source=7,event=0x1f is not a valid event of PMU '", pmu.name,
                   "': its number 0xff means cycles; for those write ", pmu.name, "/cycles/"));
}

}  // namespace

absl::StatusOr<EncodedTerms> EncodeTerms(const SysfsPmu& pmu, const std::vector<EventTerm>& terms) {
  TermSorter sorter(pmu);
  absl::Status status = sorter.Sort(terms);
  EncodedTerms encoded;
  if (status.ok() && sorter.alias() != nullptr) {
    status = AddAlias(pmu, *sorter.alias(), sorter, encoded);
  }
  if (status.ok()) status = AddFields(pmu, sorter.fields(), encoded);
  if (status.ok()) status = CheckCciCycles(pmu, encoded, sorter);
  if (!status.ok()) return status;
  return encoded;
}

absl::StatusOr<EncodedTerms> EncodeAlias(const SysfsPmu& pmu, const EventAlias& alias) {
  EncodedTerms encoded;
  absl::Status status = AddAlias(pmu, alias, TermSorter(pmu), encoded);
  if (!status.ok()) return status;
  return encoded;
}

absl::optional<uint64_t> ParseRawToken(absl::string_view token) {
  uint64_t number = 0;
  if (!LooksRaw(token) || token.size() > 17 || !absl::SimpleHexAtoi(token.substr(1), &number)) {
    return absl::nullopt;
  }
  return number;
}

}  // namespace pmu::server
