#include "client/report/json_parts.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace pmu::client {
namespace {

// "COUNTER_KIND_DELTA" without "COUNTER_KIND_" -> "delta". A number that this
// client does not know has an empty name.
std::string ShortName(const std::string& full, absl::string_view prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(full, prefix));
}

Json JsonPmu(const pmu::v1::Pmu& pmu) {
  return {{"name", pmu.name()},
          {"type", pmu.type()},
          {"cpus", pmu.cpus()},
          {"health", HealthName(pmu.health())},
          {"note", pmu.note()}};
}

Json JsonFact(const pmu::v1::BackendFact& fact) {
  return {{"name", fact.name()},
          {"text", fact.text()},
          {"number", fact.has_number() ? JsonDouble(fact.number()) : Json(nullptr)},
          {"unit", fact.unit()}};
}

Json JsonBackend(const pmu::v1::Backend& backend) {
  Json pmus = Json::array();
  for (const pmu::v1::Pmu& pmu : backend.pmus()) pmus.push_back(JsonPmu(pmu));
  Json facts = Json::array();
  for (const pmu::v1::BackendFact& fact : backend.facts()) facts.push_back(JsonFact(fact));
  return {{"name", backend.name()},
          {"available", backend.available()},
          {"unavailable_reason", backend.unavailable_reason()},
          {"simulated", backend.simulated()},
          {"pmus", std::move(pmus)},
          {"facts", std::move(facts)}};
}

}  // namespace

Json JsonDouble(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json JsonDouble(const absl::optional<double>& number) {
  return number ? JsonDouble(*number) : Json(nullptr);
}

Json JsonStatus(const absl::Status& status) {
  return {{"code", absl::StatusCodeToString(status.code())},
          {"message", std::string(status.message())}};
}

Json JsonClock(const absl::optional<ClockOffset>& clock) {
  if (!clock) return nullptr;
  return {{"offset_ns", JsonInteger(clock->offset_ns)}, {"error_ns", JsonInteger(clock->error_ns)}};
}

Json JsonIdentity(const pmu::v1::Host& host) {
  Json backends = Json::array();
  for (const pmu::v1::Backend& backend : host.backends()) backends.push_back(JsonBackend(backend));
  return {{"hostname", host.hostname()},
          {"boot_id", host.boot_id()},
          {"agent_version", host.agent_version()},
          {"agent_instance", host.agent_instance()},
          {"os", host.os()},
          {"kernel_release", host.kernel_release()},
          {"machine", host.machine()},
          {"cpu_model", host.cpu_model()},
          {"online_cpus", host.online_cpus()},
          {"possible_cpus", host.possible_cpus()},
          {"package_count", host.package_count()},
          {"perf_event_paranoid",
           host.has_perf_event_paranoid() ? Json(host.perf_event_paranoid()) : Json(nullptr)},
          {"backends", std::move(backends)}};
}

Json JsonEncoding(const pmu::v1::Encoding& encoding) {
  return {{"type", encoding.type()},
          {"config", JsonInteger(encoding.config())},
          {"config1", JsonInteger(encoding.config1())},
          {"config2", JsonInteger(encoding.config2())},
          {"exclude_user", encoding.exclude_user()},
          {"exclude_kernel", encoding.exclude_kernel()},
          {"exclude_hv", encoding.exclude_hv()},
          {"exclude_host", encoding.exclude_host()},
          {"exclude_guest", encoding.exclude_guest()},
          {"pinned", encoding.pinned()}};
}

Json JsonResolvedEvent(const pmu::v1::ResolvedEvent& event) {
  Json cpus = Json::array();
  for (const uint32_t cpu : event.cpus()) cpus.push_back(cpu);
  Json warnings = Json::array();
  for (const std::string& warning : event.warnings()) warnings.push_back(warning);
  return {{"requested_index", event.requested_index()},
          {"event", event.text()},
          {"backend", event.backend()},
          {"pmu", event.pmu()},
          {"pmu_family", event.pmu_family()},
          {"encoding", JsonEncoding(event.encoding())},
          {"unit", event.unit()},
          {"scale", JsonDouble(event.scale())},
          {"domain", DomainName(event.domain())},
          {"kind", KindName(event.kind())},
          {"combine", CombineName(event.combine())},
          {"cpus", std::move(cpus)},
          {"group", event.group()},
          {"supported", event.supported()},
          {"reason", event.reason()},
          {"warnings", std::move(warnings)},
          {"placement_bound", event.placement_bound()},
          {"simulated", event.simulated()}};
}

std::string KindName(pmu::v1::CounterKind kind) {
  return ShortName(pmu::v1::CounterKind_Name(kind), "COUNTER_KIND_");
}

std::string DomainName(pmu::v1::CounterDomain domain) {
  return ShortName(pmu::v1::CounterDomain_Name(domain), "COUNTER_DOMAIN_");
}

std::string CombineName(pmu::v1::CombineRule rule) {
  return ShortName(pmu::v1::CombineRule_Name(rule), "COMBINE_RULE_");
}

std::string CapabilityName(pmu::v1::CounterCapability capability) {
  return ShortName(pmu::v1::CounterCapability_Name(capability), "COUNTER_CAPABILITY_");
}

std::string HealthName(pmu::v1::PmuHealth health) {
  return ShortName(pmu::v1::PmuHealth_Name(health), "PMU_HEALTH_");
}

std::string JsonText(const Json& document) {
  return document.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

std::string JsonLine(const Json& document) {
  return document.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pmu::client
