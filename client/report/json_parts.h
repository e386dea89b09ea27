// json_parts.h: the parts that the JSON documents of pmuctl share.
//
// Rules of all documents: integers that can exceed 2^53 (counts, times,
// configurations) are decimal strings, because many readers hold numbers as
// doubles; a number that does not exist is null, never NaN. The order of keys
// is fixed. Text that is not UTF-8 comes out with U+FFFD in place of what is
// not. Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_JSON_PARTS_H_
#define PMU_CLIENT_REPORT_JSON_PARTS_H_

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "client/clock_sync.h"
#include "proto/pmu/v1/counter.pb.h"
#include "proto/pmu/v1/host.pb.h"

namespace pmu::client {

using Json = nlohmann::ordered_json;

// 64-bit integers: a decimal string.
template <typename Integer>
Json JsonInteger(Integer number) {
  return absl::StrCat(number);
}
// null when not finite.
Json JsonDouble(double number);
Json JsonDouble(const absl::optional<double>& number);

// {"code": "OK", "message": ""}
Json JsonStatus(const absl::Status& status);
// {"offset_ns", "error_ns"} or null.
Json JsonClock(const absl::optional<ClockOffset>& clock);
Json JsonIdentity(const pmu::v1::Host& host);
Json JsonEncoding(const pmu::v1::Encoding& encoding);
Json JsonResolvedEvent(const pmu::v1::ResolvedEvent& event);

// "delta", "package", "sum": the enum's name without its prefix, in lower case.
std::string KindName(pmu::v1::CounterKind kind);
std::string DomainName(pmu::v1::CounterDomain domain);
std::string CombineName(pmu::v1::CombineRule rule);
std::string CapabilityName(pmu::v1::CounterCapability capability);
std::string HealthName(pmu::v1::PmuHealth health);

// The document's text, indented by two, with a final line break.
std::string JsonText(const Json& document);
// In one line, with a line break at its end.
std::string JsonLine(const Json& document);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_JSON_PARTS_H_
