// self_test.h: do the PMUs of this machine really count?
//
// A virtual machine may offer counters that open well and stay at 0, or count
// absurdly little. So at start a short busy loop of known length is counted,
// and what a PMU shows must reach a minimum that every working PMU reaches.
//
// Takes a few milliseconds and a thread of its own, which it binds to a CPU of
// the PMU under test.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_SELF_TEST_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_SELF_TEST_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "server/backends/counter_backend.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "server/backends/perf_event/sysfs_pmu.h"

namespace pmu::server {

struct SelfTestResult {
  PmuHealth health = PmuHealth::kUntested;
  std::string note;  // why not kCounts, in one line
};

// By PMU name: every core PMU, "software" and, where it has tsc, "msr". Other
// PMUs have no event whose count is predictable. A machine without core PMU
// has an entry "cpu" that says so.
std::map<std::string, SelfTestResult> RunSelfTest(PerfSyscalls& syscalls,
                                                  const PmuRegistry& registry,
                                                  absl::string_view root);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_SELF_TEST_H_
