#include "server/backends/aperf_mperf/free_running_event.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/text.h"

namespace pmu::server {
namespace {

constexpr FreeRunningRegister kRegisters[] = {
    {"aperf", kAperfRegister, 64, "perf-aperf", "actual core clock cycles in C0 (MSR 0xE8)"},
    {"mperf", kMperfRegister, 64, "perf-mperf", "cycles at the nominal frequency in C0 (MSR 0xE7)"},
    {"smi", kSmiCountRegister, 32, "smi", "system management interrupts (MSR 0x34)"},
};

const FreeRunningRegister* FindRegister(absl::string_view name) {
  for (const FreeRunningRegister& counted : kRegisters) {
    if (name == counted.name) return &counted;
  }
  return nullptr;
}

absl::Status NotOurs() { return absl::NotFoundError(""); }

// "perf-aperf" and "aperf", but not "perf-smi".
absl::StatusOr<FreeRunningEvent> SelectByName(absl::string_view name) {
  const bool prefixed = absl::ConsumePrefix(&name, "perf-");
  const FreeRunningRegister* counted = FindRegister(name);
  if (counted == nullptr || (prefixed && counted->address == kSmiCountRegister)) return NotOurs();
  return FreeRunningEvent{counted, false};
}

absl::Status UnknownTerm(const EventSpec& event, const EventTerm& term) {
  return absl::InvalidArgumentError(
      absl::StrCat(event.text, ": unknown term ", Quote(term.name), " at position ", term.position,
                   ": ", kAperfMperfPmu, " takes one of aperf, mperf, smi, and raw"));
}

absl::StatusOr<FreeRunningEvent> SelectByTerms(const EventSpec& event) {
  FreeRunningEvent selected;
  for (const EventTerm& term : event.terms) {
    const FreeRunningRegister* counted = FindRegister(term.name);
    if (term.has_value || (counted == nullptr && term.name != "raw") ||
        (counted != nullptr && selected.counted != nullptr)) {
      return UnknownTerm(event, term);
    }
    if (counted != nullptr) selected.counted = counted;
    if (term.name == "raw") selected.raw = true;
  }
  if (selected.counted != nullptr) return selected;
  return absl::InvalidArgumentError(absl::StrCat(event.text, " at position ", event.position,
                                                 ": say which: aperf, mperf or smi"));
}

// msr/tsc/ and the like are the kernel's alone.
absl::StatusOr<FreeRunningEvent> SelectAsKernelDoes(const EventSpec& event) {
  if (event.terms.size() != 1 || event.terms[0].has_value) return NotOurs();
  const FreeRunningRegister* counted = FindRegister(event.terms[0].name);
  if (counted == nullptr) return NotOurs();
  return FreeRunningEvent{counted, false};
}

absl::StatusOr<FreeRunningEvent> SelectAnyForm(const EventSpec& event) {
  if (event.form == EventForm::kName) return SelectByName(event.name);
  if (event.form != EventForm::kPmu) return NotOurs();
  if (event.pmu == kAperfMperfPmu) return SelectByTerms(event);
  if (event.pmu == "msr") return SelectAsKernelDoes(event);
  return NotOurs();
}

}  // namespace

absl::Span<const FreeRunningRegister> FreeRunningRegisters() { return kRegisters; }

absl::StatusOr<FreeRunningEvent> SelectFreeRunningEvent(const EventSpec& event) {
  absl::StatusOr<FreeRunningEvent> selected = SelectAnyForm(event);
  if (!selected.ok() || event.modifiers.letters.empty()) return selected;
  return absl::InvalidArgumentError(absl::StrCat(
      event.text, " at position ", event.position, ": modifier ", Quote(event.modifiers.letters),
      ": ", selected->counted->listed_name,
      " has no modifiers: the register counts in every mode and cannot be told otherwise"));
}

}  // namespace pmu::server
