// sysfs_pmu.h: one PMU as the kernel describes it, and all of them.
//
// ROOT/sys/bus/event_source/devices/PMU: its type number, the terms it takes,
// its named events, and on which CPUs it is to be opened.
//
// Read once (PmuRegistry::Scan) and immutable from then on, so safe to use
// from any thread; only the CPU files are read afresh at each call, because
// the kernel moves an uncore PMU to another CPU when its own goes offline.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_SYSFS_PMU_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_SYSFS_PMU_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/cpu_list.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/event_alias.h"
#include "server/backends/perf_event/format_field.h"

namespace pmu::server {

struct SysfsPmu {
  std::string name;
  std::string directory;
  absl::Status status;  // not OK: it has no usable type, so cannot be opened
  uint32_t type = 0;
  std::map<std::string, absl::StatusOr<FormatField>> formats;
  std::map<std::string, EventAlias> aliases;
  // Has a cpumask file: one instance serves several CPUs and is opened on the
  // CPUs named there only, system-wide. It cannot follow a task and cannot
  // tell user from kernel.
  bool has_cpumask = false;
  // Has a cpus file: a core PMU that only those CPUs have.
  bool has_cpus = false;

  // What one instance observes, from the CPUs it was opened on at the scan: one
  // CPU per package is a package, one CPU of several packages the system, more
  // CPUs than packages dies. Without a cpumask it observes a CPU.
  CounterDomain domain = CounterDomain::kCpu;

  // The PMU of a processor core: "cpu", or one that names its CPUs.
  bool is_core() const { return name == "cpu" || (has_cpus && !has_cpumask); }

  // Its name without the number of the instance: "uncore_imc" of
  // "uncore_imc_3". Of core PMUs the whole name.
  std::string family() const;

  // Whether u and k (and G and H) mean anything to it.
  bool has_privilege_filter() const { return !has_cpumask && name != "msr" && name != "power"; }

  // The cpumask or cpus file; nullopt: it has neither, every CPU will do.
  // FAILED_PRECONDITION: unreadable or no CPU list.
  absl::StatusOr<absl::optional<CpuList>> ReadCpus() const;

  std::vector<std::string> TermNames() const;
  std::vector<std::string> AliasNames() const;
};

class PmuRegistry {
 public:
  // Reads every PMU below `root`. Never fails: an odd PMU is kept with its
  // status, and a missing directory is an empty registry.
  static PmuRegistry Scan(absl::string_view root);

  const std::vector<SysfsPmu>& pmus() const { return pmus_; }

  // The PMU of exactly this name; else nullptr.
  const SysfsPmu* Find(absl::string_view name) const;

  // The PMUs that `name` stands for in an event string, as in perf: the one of
  // exactly this name; else all its numbered instances ("uncore_imc" is
  // uncore_imc_0, uncore_imc_1, ..., but not uncore_imc_free_running_0), with
  // "uncore_" left out if one likes. Empty: none.
  std::vector<const SysfsPmu*> Match(absl::string_view name) const;

  std::vector<const SysfsPmu*> CorePmus() const;

  std::vector<std::string> Names() const;

 private:
  std::vector<SysfsPmu> pmus_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_SYSFS_PMU_H_
