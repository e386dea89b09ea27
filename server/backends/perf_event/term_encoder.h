// term_encoder.h: from the terms of "pmu/terms/" to the numbers of an event.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_TERM_ENCODER_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_TERM_ENCODER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/event_spec.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

struct EncodedTerms {
  uint64_t config = 0;
  uint64_t config1 = 0;
  uint64_t config2 = 0;
  const EventAlias* alias = nullptr;  // of the PMU, when a term names one
};

// Encodes `terms` for `pmu`. A bare term is a flag of the PMU's format, else
// one of its named events, else a raw number "r1a8"; terms with values are
// fields of its format, or config, config1, config2. Values given here replace
// those of the named event.
//
// NOT_FOUND: a bare term that this PMU has no event of. INVALID_ARGUMENT, with
// the term and its position: an unknown term with a value, a value
// that does not fit its field, a term given twice, a value that the named
// event needs missing. FAILED_PRECONDITION: the kernel's description of the
// event or field makes no sense.
absl::StatusOr<EncodedTerms> EncodeTerms(const SysfsPmu& pmu, const std::vector<EventTerm>& terms);

// What `alias` alone encodes to, as if its name were the only term.
absl::StatusOr<EncodedTerms> EncodeAlias(const SysfsPmu& pmu, const EventAlias& alias);

// The number in "r1a8"; nullopt: not an r and 1 to 16 hex digits.
absl::optional<uint64_t> ParseRawToken(absl::string_view token);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_TERM_ENCODER_H_
