#include "server/backends/cci400/cci400_resolver.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "server/backends/cci400/cci400_registers.h"

namespace pmu::server {
namespace {

// The terms of one event, as far as they have been read.
struct Terms {
  bool cycles = false;
  const Cci400Event* named = nullptr;
  absl::optional<uint64_t> source, event, config;
};

absl::Status TermError(const EventTerm& term, absl::string_view problem) {
  const std::string text = term.has_value ? absl::StrCat(term.name, "=", term.value) : term.name;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(text), "\" at position ", term.position, ": ", problem));
}

// "3", "0x3" or "S3".
absl::StatusOr<uint64_t> SourceNumber(const EventTerm& term) {
  const std::string upper = absl::AsciiStrToUpper(term.value);
  if (upper.size() == 2 && (upper[0] == 'S' || upper[0] == 'M')) {
    const int number = upper[1] - '0';
    if (upper[0] == 'S' && number >= 0 && number <= 4) return number;
    if (upper[0] == 'M' && number >= 0 && number <= 2) return number + 5;
  }
  absl::StatusOr<uint64_t> number = EventTermNumber(term);
  if (number.ok() && term.has_value && *number < kCci400Sources) return number;
  return TermError(term,
                   "not an interface: 0 to 4 (or S0 to S4) are slave interfaces, 5 to 7 (or M0 to "
                   "M2) are master interfaces");
}

absl::Status SetNumber(const EventTerm& term, absl::StatusOr<uint64_t> number,
                       absl::optional<uint64_t>* out) {
  if (!number.ok()) return number.status();
  if (out->has_value()) return TermError(term, "given twice");
  *out = *number;
  return absl::OkStatus();
}

absl::Status ReadTerm(const EventTerm& term, Cci400Revision revision, Terms* terms) {
  if (term.name == "source") return SetNumber(term, SourceNumber(term), &terms->source);
  if (term.name == "event" || term.name == "config") {
    if (!term.has_value) return TermError(term, "needs a number, as in event=0x3");
    return SetNumber(term, EventTermNumber(term),
                     term.name == "event" ? &terms->event : &terms->config);
  }
  const Cci400Event* named = FindCci400Event(revision, term.name);
  if (named == nullptr && term.name != "cycles") {
    return TermError(term, absl::StrCat("not a term of cci400 (source, event, config, cycles) and "
                                        "not an event of a CCI-400 ",
                                        Cci400RevisionName(revision)));
  }
  if (term.has_value) return TermError(term, "an event's name takes no value");
  if (terms->named != nullptr || terms->cycles) return TermError(term, "a second event's name");
  terms->named = named;
  terms->cycles = named == nullptr;
  return absl::OkStatus();
}

absl::Status EventError(const EventSpec& event, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("\"", absl::CHexEscape(event.text),
                                                 "\" at position ", event.position, ": ", problem));
}

absl::Status CheckModifiers(const EventSpec& event) {
  if (event.modifiers.letters.empty()) return absl::OkStatus();
  return EventError(event, absl::StrCat("modifiers \"", event.modifiers.letters,
                                        "\": an interconnect counts for the whole system and has "
                                        "no user, kernel, guest or host filter"));
}

// A select by its parts.
absl::StatusOr<Cci400Selection> SelectCode(const EventSpec& event, Cci400Revision revision,
                                           uint64_t source, uint64_t code,
                                           const Cci400InterfaceNames& names) {
  absl::Status valid = CheckCci400Code(revision, source, code, names);
  if (!valid.ok()) return EventError(event, valid.message());
  return Cci400Selection{false, EventSelect(source, code)};
}

absl::StatusOr<Cci400Selection> SelectNamed(const EventSpec& event, const Terms& terms,
                                            Cci400Revision revision,
                                            const Cci400InterfaceNames& names) {
  if (terms.event.has_value()) return EventError(event, "both an event's name and a number");
  const char* kind =
      terms.named->is_master ? "master (5 to 7, M0 to M2)" : "slave (0 to 4, S0 to S4)";
  if (!terms.source.has_value()) {
    return EventError(event, absl::StrCat("needs source=, a ", kind, " interface"));
  }
  if (IsMasterInterface(*terms.source) != terms.named->is_master) {
    return EventError(
        event, absl::StrCat(terms.named->name, " is an event of ", kind, " interfaces, not of ",
                            Cci400InterfaceText(*terms.source, names)));
  }
  return SelectCode(event, revision, *terms.source, terms.named->code, names);
}

}  // namespace

absl::StatusOr<Cci400Selection> SelectCci400Event(const EventSpec& event, Cci400Revision revision,
                                                  const Cci400InterfaceNames& names) {
  if (event.form != EventForm::kPmu || event.pmu != kCci400Pmu) {
    return absl::NotFoundError("");  // Another PMU's; nothing to say about it.
  }
  absl::Status modifiers = CheckModifiers(event);
  if (!modifiers.ok()) return modifiers;
  Terms terms;
  for (const EventTerm& term : event.terms) {
    absl::Status read = ReadTerm(term, revision, &terms);
    if (!read.ok()) return read;
  }
  const Cci400Selection cycles = {true, kCyclesEvent};
  if (terms.cycles) {
    if (terms.event.has_value() || terms.config.has_value() || terms.source.has_value()) {
      return EventError(event, "cycles takes no source and no event number");
    }
    return cycles;
  }
  if (terms.config.has_value()) {
    if (terms.named != nullptr || terms.event.has_value() || terms.source.has_value()) {
      return EventError(event, "config= stands for source and event; give only one of the two");
    }
    if (*terms.config == kCyclesEvent) return cycles;
    if (*terms.config > 0xff) return EventError(event, "config= has 8 bits, at most 0xff");
    return SelectCode(event, revision, SourceOf(*terms.config), CodeOf(*terms.config), names);
  }
  if (terms.named != nullptr) return SelectNamed(event, terms, revision, names);
  if (!terms.event.has_value()) {
    return EventError(event,
                      "names no event: write cci400/NAME,source=N/, "
                      "cci400/source=N,event=N/ or cci400/cycles/");
  }
  if (!terms.source.has_value()) {
    if (*terms.event == kCyclesEvent) return cycles;
    return EventError(event, "needs source=, an interface: 0 to 4 slave, 5 to 7 master");
  }
  return SelectCode(event, revision, *terms.source, *terms.event, names);
}

}  // namespace pmu::server
