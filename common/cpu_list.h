// cpu_list.h: CPU lists in the kernel's list format, "0-3,8-11".
//
// The format of /sys/devices/system/cpu/online and of a PMU's cpumask
// (Documentation/admin-guide/kernel-parameters.rst, "cpu lists"). Pure
// functions, safe to call from any thread.
#ifndef PMU_COMMON_CPU_LIST_H_
#define PMU_COMMON_CPU_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu {

// Logical CPU numbers, ascending, each once. A number is an id, not an index:
// online CPUs may have holes.
using CpuList = std::vector<int>;

// CPU numbers from here on are refused (the kernel's NR_CPUS stays below).
inline constexpr int kMaxCpus = 65536;

// Parses "0-3,8". White space around the text is ignored; an empty text is an
// empty list. INVALID_ARGUMENT names the token and its position (from 1).
absl::StatusOr<CpuList> ParseCpuList(absl::string_view text);

// The shortest list text: {0,1,2,5} -> "0-2,5"; {} -> "".
std::string FormatCpuList(const CpuList& cpus);

// CPUs that are in both lists.
CpuList IntersectCpuLists(const CpuList& a, const CpuList& b);

// CPUs of `a` that are not in `b`.
CpuList SubtractCpuLists(const CpuList& a, const CpuList& b);

}  // namespace pmu

#endif  // PMU_COMMON_CPU_LIST_H_
