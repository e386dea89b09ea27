#include "server/backends/perf_event/event_resolver.h"

#include <linux/perf_event.h>

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "server/backends/perf_event/did_you_mean.h"
#include "server/backends/perf_event/event_meaning.h"
#include "server/backends/perf_event/event_modifiers.h"
#include "server/backends/perf_event/generic_events.h"
#include "server/backends/perf_event/placement.h"
#include "server/backends/perf_event/term_encoder.h"
#include "server/backends/perf_event/tracepoint.h"
#include "server/machine/cpu_topology.h"

namespace pmu::server {
namespace {

constexpr size_t kMaxPmusInMessage = 24;
// Where in config a generic event names the PMU it is for (kernel 5.13,
// PERF_PMU_TYPE_SHIFT).
constexpr int kPmuTypeShift = 32;

absl::Status Annotate(const EventSpec& spec, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("event '", spec.text, "' at position ",
                                                  spec.position, ": ", status.message()));
}

// The kernel's description says that one CPU counts for its whole package, so
// counting on all of them would count everything many times.
CpuList FirstOfEachPackage(absl::string_view root, const CpuList& cpus) {
  const std::map<int, int> packages = ReadPackageIds(root, cpus);
  std::set<int> seen;
  CpuList first;
  for (const int cpu : cpus) {
    const auto package = packages.find(cpu);
    if (package == packages.end() || seen.insert(package->second).second) first.push_back(cpu);
  }
  return first;
}

absl::optional<GenericEvent> FindCoreEvent(absl::string_view name) {
  absl::optional<GenericEvent> event = FindHardwareEvent(name);
  return event.has_value() ? event : FindCacheEvent(name);
}

// FreeBSD's names of what the msr PMU counts (pmc.perf(3)), and the name of the
// SMI count of the register backend; "": no such name.
std::string MsrEventOf(const EventSpec& spec) {
  if (spec.form != EventForm::kName) return "";
  if (spec.name == "perf-aperf" || spec.name == "aperf") return "aperf";
  if (spec.name == "perf-mperf" || spec.name == "mperf") return "mperf";
  if (spec.name == "smi") return "smi";
  return "";
}

}  // namespace

EventResolver::EventResolver(std::string root, const PmuRegistry* registry,
                             std::map<std::string, std::string> warnings)
    : root_(std::move(root)), registry_(registry), warnings_(std::move(warnings)) {}

absl::StatusOr<std::vector<ResolvedEvent>> EventResolver::Resolve(
    const EventSpec& spec, const CounterTarget& target) const {
  const Candidates candidates = Find(spec);
  if (candidates.ok() && !MsrEventOf(spec).empty() && (target.pid != 0 || !target.cgroup.empty())) {
    return Annotate(spec, absl::FailedPreconditionError(
                              "it belongs to a CPU, not to a process or cgroup: measure "
                              "system-wide, or choose CPUs with -C"));
  }
  if (!candidates.ok()) return Annotate(spec, candidates.status());
  std::vector<ResolvedEvent> resolved;
  absl::Status nowhere;
  for (const Candidate& candidate : *candidates) {
    absl::StatusOr<ResolvedEvent> event = Finish(spec, target, candidate);
    if (event.ok()) {
      resolved.push_back(*std::move(event));
    } else if (!absl::IsFailedPrecondition(event.status())) {
      return Annotate(spec, event.status());
    } else if (nowhere.ok()) {
      // One core type or instance has none of the CPUs asked for; another may.
      nowhere = event.status();
    }
  }
  if (resolved.empty()) return Annotate(spec, nowhere);
  return resolved;
}

EventResolver::Candidate EventResolver::FromTerms(const SysfsPmu& pmu,
                                                  const EncodedTerms& encoded) {
  Candidate candidate;
  candidate.pmu = &pmu;
  candidate.warning_key = pmu.name;
  candidate.encoding.type = pmu.type;
  candidate.encoding.config = encoded.config;
  candidate.encoding.config1 = encoded.config1;
  candidate.encoding.config2 = encoded.config2;
  candidate.meaning = MeaningOf(pmu.name, encoded.config, encoded.alias);
  return candidate;
}

EventResolver::Candidates EventResolver::Find(const EventSpec& spec) const {
  switch (spec.form) {
    case EventForm::kName:
      return FindName(spec);
    case EventForm::kRaw:
      return FindRaw(spec);
    case EventForm::kTracepoint:
      return FindTracepoint(spec);
    case EventForm::kPmu:
      return FindTerms(spec);
  }
  return absl::InternalError("unknown form of event");
}

EventResolver::Candidates EventResolver::FindName(const EventSpec& spec) const {
  if (const absl::optional<GenericEvent> software = FindSoftwareEvent(spec.name)) {
    Candidate candidate;
    candidate.warning_key = "software";
    candidate.encoding.type = software->type;
    candidate.encoding.config = software->config;
    candidate.meaning.unit = software->unit;
    return std::vector<Candidate>{candidate};
  }
  const SysfsPmu* msr = registry_->Find("msr");
  const std::string msr_event = MsrEventOf(spec);
  if (msr != nullptr && msr->aliases.count(msr_event) > 0) {
    const absl::StatusOr<EncodedTerms> encoded = EncodeAlias(*msr, msr->aliases.at(msr_event));
    if (!encoded.ok()) return encoded.status();
    return std::vector<Candidate>{FromTerms(*msr, *encoded)};
  }
  Candidates on_cores = FindOnCores(spec.name);
  if (!on_cores.ok() || !on_cores->empty()) return on_cores;
  const absl::optional<GenericEvent> generic = FindCoreEvent(spec.name);
  if (!generic.has_value()) return UnknownName(spec);
  // No core PMU in sysfs. Some kernels count all the same, so it is theirs to
  // refuse.
  Candidate candidate;
  candidate.encoding.type = generic->type;
  candidate.encoding.config = generic->config;
  return std::vector<Candidate>{candidate};
}

EventResolver::Candidates EventResolver::FindOnCores(absl::string_view name) const {
  std::vector<Candidate> candidates;
  for (const SysfsPmu* pmu : registry_->CorePmus()) {
    absl::StatusOr<Candidate> candidate = NamedOnCore(*pmu, name);
    if (candidate.ok()) {
      candidates.push_back(*std::move(candidate));
    } else if (!absl::IsNotFound(candidate.status())) {
      return candidate.status();
    }
  }
  return candidates;
}

absl::StatusOr<EventResolver::Candidate> EventResolver::NamedOnCore(const SysfsPmu& pmu,
                                                                    absl::string_view name) const {
  const bool several = registry_->CorePmus().size() > 1;
  const absl::optional<GenericEvent> generic = FindCoreEvent(name);
  auto alias = pmu.aliases.find(std::string(name));
  if (alias == pmu.aliases.end() && several && generic.has_value()) {
    // Arm kernels before 6.6 do not take a PMU's number in a generic event.
    alias = pmu.aliases.find(std::string(ArmAliasOfHardwareEvent(generic->name)));
  }
  if (alias != pmu.aliases.end()) {
    const absl::StatusOr<EncodedTerms> encoded = EncodeAlias(pmu, alias->second);
    if (!encoded.ok()) return encoded.status();
    return FromTerms(pmu, *encoded);
  }
  if (!generic.has_value()) return absl::NotFoundError("");
  Candidate candidate;
  candidate.pmu = &pmu;
  candidate.warning_key = pmu.name;
  candidate.encoding.type = generic->type;
  candidate.encoding.config = generic->config | (several ? uint64_t{pmu.type} << kPmuTypeShift : 0);
  return candidate;
}

EventResolver::Candidates EventResolver::FindRaw(const EventSpec& spec) const {
  Candidates named = FindOnCores(spec.name);
  if (!named.ok() || !named->empty()) return named;
  if (registry_->Find(spec.name) != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", spec.name, "' is a raw event and the name of a PMU: write ", spec.name,
        "/terms/ for the PMU, or cpu/config=0x", absl::Hex(spec.raw_config), "/ for the event"));
  }
  std::vector<Candidate> candidates;
  const std::vector<const SysfsPmu*> cores = registry_->CorePmus();
  for (const SysfsPmu* pmu : cores) {
    Candidate candidate;
    candidate.pmu = pmu;
    candidate.warning_key = pmu->name;
    candidate.encoding.type = cores.size() > 1 ? pmu->type : uint32_t{PERF_TYPE_RAW};
    candidate.encoding.config = spec.raw_config;
    candidates.push_back(std::move(candidate));
  }
  if (candidates.empty()) {
    Candidate candidate;
    candidate.encoding.type = PERF_TYPE_RAW;
    candidate.encoding.config = spec.raw_config;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

EventResolver::Candidates EventResolver::FindTracepoint(const EventSpec& spec) const {
  const absl::StatusOr<uint64_t> id = ReadTracepointId(root_, spec.pmu, spec.name);
  if (!id.ok()) return id.status();
  Candidate candidate;
  candidate.encoding.type = PERF_TYPE_TRACEPOINT;
  candidate.encoding.config = *id;
  return std::vector<Candidate>{candidate};
}

EventResolver::Candidates EventResolver::FindTerms(const EventSpec& spec) const {
  const std::vector<const SysfsPmu*> pmus = registry_->Match(spec.pmu);
  if (pmus.empty()) return UnknownPmu(spec);
  std::vector<Candidate> candidates;
  for (const SysfsPmu* pmu : pmus) {
    absl::StatusOr<Candidate> candidate = EncodeOn(*pmu, spec);
    if (!candidate.ok()) return candidate.status();
    candidates.push_back(*std::move(candidate));
  }
  return candidates;
}

absl::StatusOr<EventResolver::Candidate> EventResolver::EncodeOn(const SysfsPmu& pmu,
                                                                 const EventSpec& spec) const {
  if (!pmu.status.ok()) return pmu.status;
  // cpu/cycles/ and software/task-clock/: the generic name on that PMU.
  if (spec.terms.size() == 1 && !spec.terms[0].has_value &&
      pmu.aliases.count(spec.terms[0].name) == 0 && pmu.formats.count(spec.terms[0].name) == 0) {
    const std::string& name = spec.terms[0].name;
    if (pmu.is_core() && FindCoreEvent(name).has_value()) return NamedOnCore(pmu, name);
    const absl::optional<GenericEvent> software = FindSoftwareEvent(name);
    if (pmu.type == PERF_TYPE_SOFTWARE && software.has_value()) {
      Candidate candidate;
      candidate.pmu = &pmu;
      candidate.warning_key = pmu.name;
      candidate.encoding.type = pmu.type;
      candidate.encoding.config = software->config;
      candidate.meaning.unit = software->unit;
      return candidate;
    }
  }
  const absl::StatusOr<EncodedTerms> encoded = EncodeTerms(pmu, spec.terms);
  if (!encoded.ok()) return encoded.status();
  return FromTerms(pmu, *encoded);
}

absl::Status EventResolver::UnknownName(const EventSpec& spec) const {
  std::vector<std::string> known;
  for (const GenericEvent& event : HardwareEvents()) known.push_back(event.name);
  for (const GenericEvent& event : SoftwareEvents()) known.push_back(event.name);
  for (const GenericEvent& event : CacheEvents()) known.push_back(event.name);
  std::vector<std::string> elsewhere;
  for (const SysfsPmu& pmu : registry_->pmus()) {
    if (pmu.is_core()) {
      for (const std::string& alias : pmu.AliasNames()) known.push_back(alias);
    } else if (pmu.aliases.count(spec.name) > 0) {
      elsewhere.push_back(absl::StrCat(pmu.family(), "/", spec.name, "/"));
    }
  }
  if (!elsewhere.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no event of this name; did you mean '", elsewhere[0], "'?"));
  }
  std::string message = absl::StrCat("no event of this name", DidYouMean(spec.name, known));
  if (registry_->Find(spec.name) != nullptr) {
    absl::StrAppend(&message, "; '", spec.name, "' is a PMU: write ", spec.name, "/terms/");
  }
  return absl::NotFoundError(message);
}

absl::Status EventResolver::UnknownPmu(const EventSpec& spec) const {
  std::vector<std::string> names = registry_->Names();
  const std::string hint = DidYouMean(spec.pmu, names);
  const bool cut = names.size() > kMaxPmusInMessage;
  if (cut) names.resize(kMaxPmusInMessage);
  return absl::NotFoundError(
      absl::StrCat("no PMU '", spec.pmu, "'", hint,
                   names.empty() ? "; this machine shows no PMU at all in /sys/bus/event_source"
                                 : absl::StrCat("; PMUs here: ", absl::StrJoin(names, " ")),
                   cut ? " ..." : ""));
}

absl::StatusOr<ResolvedEvent> EventResolver::Finish(const EventSpec& spec,
                                                    const CounterTarget& target,
                                                    const Candidate& candidate) const {
  const SysfsPmu* const pmu = candidate.pmu;
  ResolvedEvent event;
  event.text = spec.text;
  event.group = spec.group;
  if (pmu != nullptr && pmu->type != PERF_TYPE_SOFTWARE && pmu->type != PERF_TYPE_TRACEPOINT) {
    event.pmu = pmu->name;
    // An instance asked for by its own name stands for itself.
    event.pmu_family = spec.pmu == pmu->name ? pmu->name : pmu->family();
    event.domain = candidate.meaning.per_package ? CounterDomain::kPackage : pmu->domain;
  }
  event.encoding = candidate.encoding;
  event.unit = candidate.meaning.unit;
  event.scale = candidate.meaning.scale;
  event.kind = candidate.meaning.kind;
  event.combine = candidate.meaning.combine;
  event.warnings = candidate.meaning.warnings;
  absl::Status modified = ApplyModifiers(spec.modifiers, pmu, event.encoding);
  if (!modified.ok()) return modified;

  absl::StatusOr<Placement> placement = PlaceEvent(root_, pmu, target);
  if (!placement.ok()) return placement.status();
  event.cpus = std::move(placement->cpus);
  if (candidate.meaning.per_package) event.cpus = FirstOfEachPackage(root_, event.cpus);
  if (event.cpus.empty()) {
    event.domain = CounterDomain::kTask;
    // The task runs on this kind of core only part of its time.
    event.placement_bound = pmu != nullptr && pmu->has_cpus && registry_->CorePmus().size() > 1;
  }
  if (placement->ignores_task) {
    event.warnings.push_back(absl::StrCat("counts system-wide on CPU ", FormatCpuList(event.cpus),
                                          ", not only the ",
                                          target.pid != 0 ? "process" : "cgroup"));
  }
  const auto warning = warnings_.find(candidate.warning_key);
  if (warning != warnings_.end()) event.warnings.push_back(warning->second);
  return event;
}

}  // namespace pmu::server
