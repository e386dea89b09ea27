#include "server/backends/x86_pmc/pmc_event.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text.h"

namespace pmu::server {
namespace {

struct GenericEvent {
  const char* name;
  PmcClass pmc_class;
  uint32_t code;
};
constexpr GenericEvent kGenericEvents[] = {
    {"cycles", PmcClass::kI686, 0x79},          {"instructions", PmcClass::kI686, 0xc0},
    {"cycles", PmcClass::kArchitectural, 0x3c}, {"instructions", PmcClass::kArchitectural, 0xc0},
    {"cycles", PmcClass::kAmd, 0x76},           {"instructions", PmcClass::kAmd, 0xc0},
    {"instructions", PmcClass::kI586, 0x16},
};

constexpr const char* kTerms = "event, umask, cmask, inv, edge, clocks, counter, preload, name";

absl::Status TermError(const EventSpec& event, const EventTerm& term, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(event.text, ": ", Quote(term.name), " at position ", term.position, ": ", what));
}

// Reads the terms of one event.
class TermReader {
 public:
  TermReader(const EventSpec& event, const PmcModel& model, const PmcNames& names)
      : event_(event), model_(model), names_(names) {}

  absl::StatusOr<PmcSelection> Read() {
    for (const EventTerm& term : event_.terms) {
      absl::Status read = ReadTerm(term);
      if (!read.ok()) return read;
    }
    if (has_code_) return out_;
    return absl::InvalidArgumentError(absl::StrCat(event_.text, " at position ", event_.position,
                                                   ": say what to count: event=CODE or a name"));
  }

 private:
  absl::Status ReadTerm(const EventTerm& term) {
    if (term.name == "event") return ReadCode(term);
    if (term.name == "name" && term.has_value) return ReadName(term, term.value);
    if (term.name == "umask") return ReadMask(term, "unit mask", &out_.umask);
    if (term.name == "cmask") return ReadMask(term, "counter mask", &out_.cmask);
    if (term.name == "inv") return ReadPlainFlag(term, "inverted compare", &out_.inv);
    if (term.name == "edge") return ReadPlainFlag(term, "edge detection", &out_.edge);
    if (term.name == "clocks") return ReadClocks(term);
    if (term.name == "counter") return ReadCounter(term);
    if (term.name == "preload") return ReadNumber(term, LastOf(model_.preload_bits), &out_.preload);
    if (term.has_value) {
      return TermError(event_, term, absl::StrCat("unknown term; ", kX86Pmc, " has ", kTerms));
    }
    return ReadName(term, term.name);
  }

  static uint64_t LastOf(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

  absl::Status ReadNumber(const EventTerm& term, uint64_t max, uint64_t* out) const {
    absl::StatusOr<uint64_t> number = EventTermNumber(term);
    if (!number.ok()) return number.status();
    if (!term.has_value) return TermError(event_, term, "a number is missing");
    if (*number > max) {
      return TermError(event_, term,
                       absl::StrCat("0x", absl::Hex(*number), " is above 0x", absl::Hex(max),
                                    ", the largest of class ", PmcClassName(model_.pmc_class)));
    }
    *out = *number;
    return absl::OkStatus();
  }

  absl::Status ReadCode(const EventTerm& term) {
    uint64_t code = 0;
    absl::Status read = ReadNumber(term, LastOf(model_.code_bits), &code);
    if (!read.ok()) return read;
    if (has_code_) return TermError(event_, term, "the event is given twice");
    out_.code = static_cast<uint32_t>(code);
    has_code_ = true;
    return absl::OkStatus();
  }

  absl::Status ReadName(const EventTerm& term, absl::string_view name) {
    const absl::optional<NamedPmcEvent> named = names_.Find(name);
    if (!named) {
      return TermError(event_, term,
                       absl::StrCat(Quote(name), " is neither a term (", kTerms,
                                    ") nor an event of ", names_.Source()));
    }
    if (has_code_) return TermError(event_, term, "the event is given twice");
    has_code_ = true;
    out_.code = named->code;
    // Terms beside the name win, whichever comes first.
    if (out_.umask == 0) out_.umask = named->umask;
    if (out_.cmask == 0) out_.cmask = named->cmask;
    out_.inv = out_.inv || named->inv;
    out_.edge = out_.edge || named->edge;
    return absl::OkStatus();
  }

  // The Pentium has neither masks nor compare.
  absl::Status RefuseOnI586(const EventTerm& term, absl::string_view what, uint64_t number) const {
    if (model_.pmc_class != PmcClass::kI586 || number == 0) return absl::OkStatus();
    return TermError(event_, term, absl::StrCat("class i586 has no ", what));
  }

  absl::Status ReadMask(const EventTerm& term, absl::string_view what, uint32_t* out) const {
    uint64_t mask = 0;
    absl::Status read = ReadNumber(term, 0xff, &mask);
    if (read.ok()) read = RefuseOnI586(term, what, mask);
    if (read.ok()) *out = static_cast<uint32_t>(mask);
    return read;
  }

  absl::Status ReadPlainFlag(const EventTerm& term, absl::string_view what, bool* out) const {
    absl::Status read = ReadFlag(term, out);
    return read.ok() ? RefuseOnI586(term, what, *out ? 1 : 0) : read;
  }

  absl::Status ReadClocks(const EventTerm& term) {
    absl::Status read = ReadFlag(term, &out_.clocks);
    if (!read.ok() || !out_.clocks || model_.pmc_class == PmcClass::kI586) return read;
    return TermError(event_, term,
                     absl::StrCat("class ", PmcClassName(model_.pmc_class),
                                  " cannot count clocks instead of occurrences; i586 can"));
  }

  absl::Status ReadFlag(const EventTerm& term, bool* out) const {
    absl::StatusOr<uint64_t> number = EventTermNumber(term);
    if (!number.ok()) return number.status();
    if (*number > 1) return TermError(event_, term, "is 0 or 1");
    *out = *number != 0;
    return absl::OkStatus();
  }

  absl::Status ReadCounter(const EventTerm& term) {
    uint64_t counter = 0;
    absl::Status read = ReadNumber(term, static_cast<uint64_t>(model_.counters) - 1, &counter);
    if (read.ok()) out_.counter = static_cast<int>(counter);
    return read;
  }

  const EventSpec& event_;
  const PmcModel& model_;
  const PmcNames& names_;
  PmcSelection out_;
  bool has_code_ = false;
};

absl::StatusOr<PmcSelection> SelectGeneric(const EventSpec& event, const PmcModel& model) {
  absl::string_view name = event.name;
  if (name == "cpu-cycles") name = "cycles";
  bool known = false;
  for (const GenericEvent& generic : kGenericEvents) {
    if (name != generic.name) continue;
    known = true;
    if (generic.pmc_class != model.pmc_class) continue;
    PmcSelection out;
    out.code = generic.code;
    return out;
  }
  if (!known) return absl::NotFoundError("");
  return absl::FailedPreconditionError(absl::StrCat(
      event.text, ": class ", PmcClassName(model.pmc_class), " has no event for ", name));
}

absl::Status ApplyModifiers(const EventSpec& event, PmcSelection* out) {
  const size_t other = event.modifiers.letters.find_first_not_of("uk");
  if (other != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(event.text, " at position ", event.position, ": modifier '",
                     event.modifiers.letters.substr(other, 1), "': ", kX86Pmc,
                     " has u (user mode) and k (kernel mode), none for both"));
  }
  const bool any = !event.modifiers.letters.empty();
  out->user = event.modifiers.user || !any;
  out->kernel = event.modifiers.kernel || !any;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PmcSelection> SelectPmcEvent(const EventSpec& event, const PmcModel& model,
                                            const PmcNames& names) {
  absl::StatusOr<PmcSelection> selected = absl::NotFoundError("");
  if (event.form == EventForm::kName) selected = SelectGeneric(event, model);
  if (event.form == EventForm::kPmu && event.pmu == kX86Pmc) {
    selected = TermReader(event, model, names).Read();
  }
  if (!selected.ok()) return selected;
  absl::Status modified = ApplyModifiers(event, &*selected);
  if (!modified.ok()) return modified;
  if (selected->counter >= 0 &&
      (CountersFor(model, selected->code, -1) & (1u << selected->counter)) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(event.text, ": class ", PmcClassName(model.pmc_class),
                     " cannot count this event on counter ", selected->counter));
  }
  return selected;
}

uint64_t SelectBits(const PmcModel& model, const PmcSelection& event) {
  if (model.pmc_class == PmcClass::kI586) {
    return event.code | (event.kernel ? kI586Kernel : 0) | (event.user ? kI586User : 0) |
           (event.clocks ? uint64_t{1} << 8 : 0);
  }
  uint64_t bits = event.code & 0xff;
  bits |= uint64_t{event.umask} << 8;
  if (event.user) bits |= kSelectUser;
  if (event.kernel) bits |= kSelectKernel;
  if (event.edge) bits |= uint64_t{1} << 18;
  if (event.inv) bits |= uint64_t{1} << 23;
  bits |= uint64_t{event.cmask} << 24;
  // AMD: four more bits of the event code.
  bits |= uint64_t{event.code >> 8} << 32;
  return bits;
}

uint32_t CountersFor(const PmcModel& model, uint32_t code, int counter) {
  uint32_t mask = (1u << model.counters) - 1;
  if (model.pmc_class == PmcClass::kI686) {
    // FLOPS, FP_COMP_OPS_EXE, CYCLES_DIV_BUSY; FP_ASSIST, MUL, DIV.
    if (code == 0xc1 || code == 0x10 || code == 0x14) mask = 1;
    if (code == 0x11 || code == 0x12 || code == 0x13) mask = 2;
  }
  return counter < 0 ? mask : mask & (1u << counter);
}

}  // namespace pmu::server
