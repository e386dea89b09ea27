// cci400_resolver.h: from an event string to an event select.
//
//   cci400/cycles/                            the cycle counter; also event=0xff
//   cci400/source=3,event=0x3/                by numbers; sources also S0..S4, M0..M2
//   cci400/si_rrq_hs_any,source=3/            by Linux's names
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_CCI400_CCI400_RESOLVER_H_
#define PMU_SERVER_BACKENDS_CCI400_CCI400_RESOLVER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/event_spec.h"
#include "server/backends/cci400/cci400_events.h"

namespace pmu::server {

inline constexpr const char* kCci400Pmu = "cci400";

struct Cci400Selection {
  bool is_cycles = false;
  uint32_t select = 0;  // the event select register; 0xff for cycles
};

// NOT_FOUND: another PMU's event. INVALID_ARGUMENT: the token and its position
// and what is valid there: unknown or contradictory terms, a source or code
// that the revision does not have, and any modifier, for an interconnect
// knows neither user nor kernel.
absl::StatusOr<Cci400Selection> SelectCci400Event(const EventSpec& event, Cci400Revision revision,
                                                  const Cci400InterfaceNames& names);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_CCI400_CCI400_RESOLVER_H_
