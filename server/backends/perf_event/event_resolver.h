// event_resolver.h: from an event in perf's syntax to what the kernel is asked.
//
// The order in which a name is looked up: software events; events that a core
// PMU names in sysfs; generic hardware and cache events; and only then, when
// the whole token is an r and hex digits, a raw number. Names win, so that
// "ref-cycles" is never the raw event 0xef.
//
// On a machine with several kinds of cores a core event becomes one event per
// core PMU. "pmu/.../" becomes one event per matching instance.
//
// Reads tracefs and CPU lists below the root; opens nothing. Thread-safe.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_RESOLVER_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_RESOLVER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/event_spec.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/event_meaning.h"
#include "server/backends/perf_event/sysfs_pmu.h"
#include "server/backends/perf_event/term_encoder.h"

namespace pmu::server {

class EventResolver {
 public:
  // `registry` must outlive the resolver. `warnings`: by PMU name ("software"
  // for software events), what to say beside every count of that PMU.
  EventResolver(std::string root, const PmuRegistry* registry,
                std::map<std::string, std::string> warnings);

  // Errors as CounterBackend::Resolve; the message starts with the event's
  // text and its position.
  absl::StatusOr<std::vector<ResolvedEvent>> Resolve(const EventSpec& spec,
                                                     const CounterTarget& target) const;

 private:
  // What a spec means on one PMU, before modifiers and placement.
  struct Candidate {
    const SysfsPmu* pmu = nullptr;  // nullptr: no PMU of sysfs
    std::string warning_key;        // into warnings_
    EventEncoding encoding;
    EventMeaning meaning;
  };
  using Candidates = absl::StatusOr<std::vector<Candidate>>;

  static Candidate FromTerms(const SysfsPmu& pmu, const EncodedTerms& encoded);

  Candidates Find(const EventSpec& spec) const;
  Candidates FindName(const EventSpec& spec) const;
  Candidates FindOnCores(absl::string_view name) const;
  Candidates FindRaw(const EventSpec& spec) const;
  Candidates FindTracepoint(const EventSpec& spec) const;
  Candidates FindTerms(const EventSpec& spec) const;
  absl::StatusOr<Candidate> EncodeOn(const SysfsPmu& pmu, const EventSpec& spec) const;
  absl::StatusOr<Candidate> NamedOnCore(const SysfsPmu& pmu, absl::string_view name) const;
  absl::Status UnknownName(const EventSpec& spec) const;
  absl::Status UnknownPmu(const EventSpec& spec) const;

  // Modifiers, placement and the words around the numbers.
  absl::StatusOr<ResolvedEvent> Finish(const EventSpec& spec, const CounterTarget& target,
                                       const Candidate& candidate) const;

  const std::string root_;
  const PmuRegistry* const registry_;
  const std::map<std::string, std::string> warnings_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_EVENT_RESOLVER_H_
