// Event strings come from the wire: any bytes must give events or an error.
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "absl/strings/string_view.h"
#include "common/event_spec.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void CheckSpec(absl::string_view text, const pmu::EventSpec& spec) {
  // The text is a piece of the whole, where its position says.
  Require(spec.position >= 1 && !spec.text.empty());
  Require(text.substr(spec.position - 1, spec.text.size()) == spec.text);
  Require(spec.terms.size() <= pmu::kMaxTermsPerEvent);
  Require(spec.modifiers.precise <= 3);
  for (const pmu::EventTerm& term : spec.terms) {
    Require(text.substr(term.position - 1, term.name.size()) == term.name);
    (void)pmu::EventTermNumber(term);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto specs = pmu::ParseEventList(text);
  if (!specs.ok()) {
    Require(!specs.status().message().empty());
    return 0;
  }
  Require(!specs->empty() && specs->size() <= pmu::kMaxEvents);
  for (const pmu::EventSpec& spec : *specs) CheckSpec(text, spec);

  // An event of no group stands for itself when it is alone.
  const pmu::EventSpec& first = specs->front();
  const auto again = pmu::ParseEventList(first.text);
  Require(again.ok() && again->size() == 1);
  Require(again->front().form == first.form && again->front().name == first.name &&
          again->front().pmu == first.pmu && again->front().raw_config == first.raw_config);
  return 0;
}
