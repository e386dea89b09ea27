#include "server/backends/perf_event/event_modifiers.h"

#include "absl/strings/str_cat.h"

namespace pmu::server {

absl::Status ApplyModifiers(const EventModifiers& modifiers, const SysfsPmu* pmu,
                            EventEncoding& encoding) {
  if (modifiers.precise > 0) {
    return absl::InvalidArgumentError(
        "modifier 'p' asks for precise sampling addresses; this counts and does not sample, so it "
        "would change nothing: leave it out");
  }
  const bool levels = modifiers.user || modifiers.kernel || modifiers.hypervisor;
  const bool guests = modifiers.guest || modifiers.host;
  if ((levels || guests) && pmu != nullptr && !pmu->has_privilege_filter()) {
    return absl::InvalidArgumentError(
        absl::StrCat("modifier '", modifiers.letters, "': PMU '", pmu->name,
                     "': this PMU has no user/kernel filter, it counts everything: leave the "
                     "modifier out"));
  }
  if (levels) {
    encoding.exclude_user = !modifiers.user;
    encoding.exclude_kernel = !modifiers.kernel;
    encoding.exclude_hv = !modifiers.hypervisor;
  }
  if (guests) {
    encoding.exclude_host = !modifiers.host;
    encoding.exclude_guest = !modifiers.guest;
  }
  encoding.pinned = modifiers.pinned;
  return absl::OkStatus();
}

}  // namespace pmu::server
