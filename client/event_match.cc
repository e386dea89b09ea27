#include "client/event_match.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

namespace pmu::client {
namespace {

// "cycles:u" -> "cycles"; tracepoints (sched:sched_switch) stay whole.
absl::string_view WithoutModifiers(absl::string_view event) {
  const size_t colon = event.rfind(':');
  if (colon == absl::string_view::npos) return event;
  const absl::string_view letters = event.substr(colon + 1);
  if (letters.find_first_not_of("ukhGHD") != absl::string_view::npos) return event;
  return event.substr(0, colon);
}

// The event select register of "cci400/source=3,event=0x3/": source [7:5],
// event [4:0] (Arm DDI 0470, 3.3). nullopt: no such event.
absl::optional<uint64_t> Cci400Select(absl::string_view event) {
  if (!absl::ConsumePrefix(&event, "cci400/source=") || !absl::ConsumeSuffix(&event, "/")) {
    return absl::nullopt;
  }
  const size_t comma = event.find(",event=");
  if (comma == absl::string_view::npos) return absl::nullopt;
  uint64_t source = 0;
  uint64_t code = 0;
  if (!absl::SimpleAtoi(event.substr(0, comma), &source) ||
      !absl::SimpleHexAtoi(event.substr(comma + 7), &code)) {
    return absl::nullopt;
  }
  return source << 5 | code;
}

bool IsOfCci400(const pmu::v1::ResolvedEvent& event) {
  return event.backend() == "cci400" || absl::StartsWith(event.pmu(), "CCI_400");
}

const Row* FindCci400Row(const Report& report, uint64_t select) {
  for (const HostResult& host : report.result.hosts) {
    for (const EventResult& event : host.events) {
      if (!IsOfCci400(event.event) || event.event.encoding().config() != select) continue;
      const auto row =
          std::find_if(report.rows.begin(), report.rows.end(), [&](const Row& candidate) {
            return candidate.requested_index == static_cast<int>(event.event.requested_index());
          });
      if (row != report.rows.end()) return &*row;
    }
  }
  return nullptr;
}

}  // namespace

const Row* FindRow(const Report& report, absl::string_view event) {
  const Row* found = nullptr;
  bool found_exactly = false;
  for (const Row& row : report.rows) {
    const std::string& asked = report.result.requested_events[row.requested_index];
    const bool exactly = asked == event;
    if (!exactly && (found_exactly || WithoutModifiers(asked) != event)) continue;
    if (found == nullptr || row.is_sum || (exactly && !found_exactly)) found = &row;
    found_exactly = found_exactly || exactly;
  }
  if (found != nullptr) return found;
  const absl::optional<uint64_t> select = Cci400Select(event);
  return select.has_value() ? FindCci400Row(report, *select) : nullptr;
}

}  // namespace pmu::client
