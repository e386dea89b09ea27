// cpu_topology.h: which CPUs a machine has, and to which package each belongs.
//
// Read afresh at every call: CPUs come and go (chcpu, /sys/.../cpuN/online).
// The sets are those of the kernel's own list files, never 0..n-1: lists have
// holes, cpu0 has no "online" file, and "possible" is often far more than what
// runs (Documentation/admin-guide/cputopology.rst).
//
// Safe to call from any thread.
#ifndef PMU_SERVER_MACHINE_CPU_TOPOLOGY_H_
#define PMU_SERVER_MACHINE_CPU_TOPOLOGY_H_

#include <map>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/cpu_list.h"

namespace pmu::server {

// ROOT/sys/devices/system/cpu/online. Errors of ReadSmallFile; INVALID_ARGUMENT
// names the file when it holds no CPU list; FAILED_PRECONDITION: it is empty.
absl::StatusOr<CpuList> ReadOnlineCpus(absl::string_view root);

// ROOT/sys/devices/system/cpu/possible; errors as above.
absl::StatusOr<CpuList> ReadPossibleCpus(absl::string_view root);

// CPU -> physical package id, for those of `cpus` whose topology is readable.
std::map<int, int> ReadPackageIds(absl::string_view root, const CpuList& cpus);

// Distinct packages in such a map. 0: unknown.
int CountPackages(const std::map<int, int>& package_ids);

}  // namespace pmu::server

#endif  // PMU_SERVER_MACHINE_CPU_TOPOLOGY_H_
