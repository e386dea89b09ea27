// pmc_names.h: events by name, for one CPU.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PMC_NAMES_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PMC_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu::server {

// The parts of an event select that a name stands for.
struct NamedPmcEvent {
  std::string name;
  std::string description;  // one line; may be empty
  uint32_t code = 0;
  uint32_t umask = 0;
  uint32_t cmask = 0;
  bool inv = false;
  bool edge = false;
};

// Implementations are thread-safe.
class PmcNames {
 public:
  virtual ~PmcNames() = default;

  // Ignores the case. nullopt: no such event.
  virtual absl::optional<NamedPmcEvent> Find(absl::string_view name) const = 0;

  // All of them, in the order of the source.
  virtual std::vector<NamedPmcEvent> List() const = 0;

  // Where the names come from, for messages: "the i586 table", "libpfm4 (skl)".
  virtual std::string Source() const = 0;
};

// The Pentium's events, by the names of Intel's Software Developer's Manual
// volume 3B, "Performance Monitoring Events for the Pentium Processor". Lives
// for ever.
const PmcNames& I586Names();

// Events of P6, by the names of the same volume, "P6 Family Processors": those
// most used, for where libpfm4 has no table of this class (its 64-bit builds).
// Lives for ever.
const PmcNames& I686Names();

// No names at all. Lives for ever.
const PmcNames& NoPmcNames();

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PMC_NAMES_H_
