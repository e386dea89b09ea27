#include "server/backends/perf_event/counter_listing.h"

#include <linux/perf_event.h>

#include <cerrno>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/backends/perf_event/event_meaning.h"
#include "server/backends/perf_event/generic_events.h"
#include "server/backends/perf_event/open_error.h"
#include "server/backends/perf_event/placement.h"
#include "server/backends/perf_event/privileges.h"
#include "server/backends/perf_event/term_encoder.h"
#include "server/backends/perf_event/tracepoint.h"

namespace pmu::server {
namespace {

constexpr char kCoreModifiers[] = "ukhGHD";
constexpr char kSoftwareModifiers[] = "ukD";
constexpr char kUnfilteredModifiers[] = "D";

class Lister {
 public:
  explicit Lister(const ListingContext& context)
      : context_(context),
        has_core_pmu_(!context.registry->CorePmus().empty()),
        privileges_(ReadPrivileges(context.root)) {}

  std::vector<CounterInfo> List() {
    for (const GenericEvent& event : HardwareEvents()) AddGeneric(event, CorePmuName());
    for (const GenericEvent& event : CacheEvents()) AddGeneric(event, CorePmuName());
    for (const GenericEvent& event : SoftwareEvents()) AddGeneric(event, "");
    for (const SysfsPmu& pmu : context_.registry->pmus()) AddPmu(pmu);
    AddTracepoints();
    return std::move(counters_);
  }

 private:
  std::string CorePmuName() const {
    const std::vector<const SysfsPmu*> cores = context_.registry->CorePmus();
    return cores.size() == 1 ? cores.front()->name : "";
  }

  // Whether the kernel opens this now, for this process. A machine with several
  // core PMUs takes a generic event for whichever it runs on.
  absl::Status Try(absl::string_view name, absl::string_view pmu, const EventEncoding& encoding,
                   int cpu) const {
    if (context_.probe == nullptr) return absl::OkStatus();
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = encoding.type;
    attr.config = encoding.config;
    attr.config1 = encoding.config1;
    attr.config2 = encoding.config2;
    attr.exclude_kernel = encoding.exclude_kernel;
    attr.disabled = 1;
    const SyscallResult result =
        context_.probe->Open(attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (result.ok()) {
      context_.probe->Close(static_cast<int>(result.value));
      return absl::OkStatus();
    }
    // These say nothing about the event.
    if (result.error == EMFILE || result.error == ENFILE || result.error == EBUSY) {
      return absl::OkStatus();
    }
    ResolvedEvent event;
    event.text = std::string(name);
    event.pmu = std::string(pmu);
    event.encoding = encoding;
    OpenAttempt attempt;
    attempt.event = &event;
    attempt.cpu = cpu;
    attempt.has_core_pmu = has_core_pmu_;
    attempt.privileges = privileges_;
    return OpenError(result.error, attempt);
  }

  void AddGeneric(const GenericEvent& event, absl::string_view pmu) {
    CounterInfo counter;
    counter.name = event.name;
    counter.pmu = std::string(pmu);
    counter.description = event.description;
    counter.unit = event.unit;
    counter.modifiers = event.type == PERF_TYPE_SOFTWARE ? kSoftwareModifiers : kCoreModifiers;
    counter.capabilities = Capabilities(true);
    EventEncoding encoding;
    encoding.type = event.type;
    encoding.config = event.config;
    // What an agent without privileges may count is then still available.
    encoding.exclude_kernel = !privileges_.perfmon_capable;
    counter.availability = Try(event.name, pmu, encoding, -1);
    counters_.push_back(std::move(counter));
  }

  void AddPmu(const SysfsPmu& pmu) {
    const absl::StatusOr<Placement> placement = PlaceEvent(context_.root, &pmu, CounterTarget());
    const absl::Status usable = pmu.status.ok() ? placement.status() : pmu.status;
    for (const auto& entry : pmu.aliases) {
      CounterInfo counter = DescribeAlias(pmu, entry.second);
      const absl::StatusOr<EncodedTerms> encoded = EncodeAlias(pmu, entry.second);
      // An event that waits for values is not wrong.
      const bool incomplete = entry.second.status.ok() && !counter.required_terms.empty();
      if (!usable.ok()) {
        counter.availability = usable;
      } else if (encoded.ok()) {
        counter.availability = TryAlias(pmu, counter.name, *encoded, placement->cpus.front());
      } else if (!incomplete) {
        counter.availability = encoded.status();
      }
      counters_.push_back(std::move(counter));
    }
  }

  absl::Status TryAlias(const SysfsPmu& pmu, absl::string_view name, const EncodedTerms& encoded,
                        int cpu) const {
    EventEncoding encoding;
    encoding.type = pmu.type;
    encoding.config = encoded.config;
    encoding.config1 = encoded.config1;
    encoding.config2 = encoded.config2;
    const absl::Status status = Try(name, pmu.name, encoding, cpu);
    // Some events of core PMUs open as members of a group only ("slots").
    return pmu.is_core() && absl::IsInvalidArgument(status) ? absl::OkStatus() : status;
  }

  static CounterInfo DescribeAlias(const SysfsPmu& pmu, const EventAlias& alias) {
    CounterInfo counter;
    counter.pmu = pmu.name;
    counter.required_terms = alias.required_terms;
    counter.name = absl::StrCat(pmu.name, "/", alias.name);
    for (const std::string& term : alias.required_terms) {
      absl::StrAppend(&counter.name, ",", term, "=?");
    }
    absl::StrAppend(&counter.name, "/");
    const absl::StatusOr<EncodedTerms> encoded = EncodeAlias(pmu, alias);
    const EventMeaning meaning =
        MeaningOf(pmu.name, encoded.ok() ? encoded->config : ~uint64_t{0}, &alias);
    counter.unit = meaning.unit;
    counter.scale = meaning.scale;
    counter.kind = meaning.kind;
    counter.combine = meaning.combine;
    counter.domain = meaning.per_package ? CounterDomain::kPackage : pmu.domain;
    counter.description = absl::StrJoin(meaning.warnings, "; ");
    counter.modifiers = pmu.has_privilege_filter() ? kCoreModifiers : kUnfilteredModifiers;
    counter.capabilities = Capabilities(pmu.has_privilege_filter());
    return counter;
  }

  void AddTracepoints() {
    const absl::StatusOr<std::vector<std::string>> names = ListTracepoints(context_.root);
    if (!names.ok()) return;  // Describe() says why.
    for (const std::string& name : *names) {
      CounterInfo counter;
      counter.name = name;
      counter.description = "Tracepoint";
      counter.modifiers = kSoftwareModifiers;
      counter.capabilities = Capabilities(true);
      counters_.push_back(std::move(counter));
    }
  }

  static std::vector<CounterCapability> Capabilities(bool privilege_filter) {
    if (!privilege_filter) return {CounterCapability::kRead};
    return {CounterCapability::kRead, CounterCapability::kSystem, CounterCapability::kUser};
  }

  const ListingContext& context_;
  const bool has_core_pmu_;
  const Privileges privileges_;
  std::vector<CounterInfo> counters_;
};

}  // namespace

std::vector<CounterInfo> ListPerfCounters(const ListingContext& context) {
  return Lister(context).List();
}

}  // namespace pmu::server
