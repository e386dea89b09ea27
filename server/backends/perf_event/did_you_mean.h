// did_you_mean.h: the known names nearest to a mistyped one.
//
// Pure function, safe to call from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_DID_YOU_MEAN_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_DID_YOU_MEAN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace pmu::server {

// "; did you mean 'cycles' or 'bus-cycles'?" with at most three of `known`
// that are within a third of the word's length in edits, nearest first; "" when
// none is. Words longer than 64 bytes are never near anything: the work stays
// bounded however hostile the name.
std::string DidYouMean(absl::string_view word, const std::vector<std::string>& known);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_DID_YOU_MEAN_H_
