// cci400_events.h: what a CCI-400 can count.
//
// Codes depend on the kind of interface and on the revision (Arm DDI 0470,
// 2.4.3); names are those of Linux's driver, which users know from perf list.
//
// Pure functions over constant tables, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_EVENTS_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_EVENTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

enum class Cci400Revision { kR0, kR1 };

// Peripheral ID2 bits [7:4]: below 5 is r0.
Cci400Revision Cci400RevisionOf(uint32_t peripheral_id2);
const char* Cci400RevisionName(Cci400Revision revision);  // "r0", "r1"

// Sources 0 to 4 are the slave interfaces S0 to S4, 5 to 7 the master
// interfaces M0 to M2.
inline constexpr uint32_t kCci400Sources = 8;
constexpr bool IsMasterInterface(uint32_t source) { return source >= 5; }

// Linux's number for the cycle counter, which has no event select.
inline constexpr uint64_t kCyclesEvent = 0xff;

struct Cci400Event {
  const char* name;
  uint32_t code;
  bool is_master;
  const char* description;
};

// In order of interface kind and code.
const std::vector<Cci400Event>& Cci400Events(Cci400Revision revision);

// Null: the revision has no event of that name.
const Cci400Event* FindCci400Event(Cci400Revision revision, absl::string_view name);

// What is behind each interface, from configuration; "" not said.
using Cci400InterfaceNames = std::array<std::string, kCci400Sources>;

// Reads "S3=A53 cluster" into `names`. INVALID_ARGUMENT.
absl::Status AddCci400InterfaceName(absl::string_view text, Cci400InterfaceNames* names);

// "S3 (A53 cluster)", or "S3" when nothing is said of it.
std::string Cci400InterfaceText(uint32_t source, const Cci400InterfaceNames& names);

// INVALID_ARGUMENT naming the interface, the code and the valid range.
absl::Status CheckCci400Code(Cci400Revision revision, uint32_t source, uint64_t code,
                             const Cci400InterfaceNames& names);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_EVENTS_H_
