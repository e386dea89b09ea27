#include "server/backends/perf_event/self_test.h"

#include <linux/perf_event.h>
#include <sched.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "server/backends/perf_event/open_error.h"
#include "server/backends/perf_event/privileges.h"

namespace pmu::server {
namespace {

constexpr uint64_t kLoopRounds = 1'000'000;
// Every round is at least an add, a compare and a jump, and no processor
// finishes eight rounds of a chain of memory updates in a cycle.
constexpr uint64_t kMinInstructions = kLoopRounds;
constexpr uint64_t kMinCycles = kLoopRounds / 8;
// A round takes 0.1 ns at the very least; a time stamp counter runs at 10 MHz
// or more.
constexpr uint64_t kMinTaskClockNs = kLoopRounds / 10;
constexpr uint64_t kMinTscTicks = kMinTaskClockNs / 100;

constexpr int kPmuTypeShift = 32;

void BusyLoop() {
  volatile uint64_t sink = 0;
  for (uint64_t round = 0; round < kLoopRounds; ++round) sink = sink + round;
}

// One event that must reach a minimum over the loop.
struct Probe {
  ResolvedEvent event;
  uint64_t minimum = 0;
};

Probe MakeProbe(absl::string_view name, absl::string_view pmu, uint32_t type, uint64_t config,
                uint64_t minimum) {
  Probe probe;
  probe.event.text = std::string(name);
  probe.event.pmu = std::string(pmu);
  probe.event.encoding.type = type;
  probe.event.encoding.config = config;
  probe.minimum = minimum;
  return probe;
}

class SelfTest {
 public:
  SelfTest(PerfSyscalls& syscalls, bool has_core_pmu, const Privileges& privileges)
      : syscalls_(syscalls), has_core_pmu_(has_core_pmu), privileges_(privileges) {}

  // Counts `probe` over the loop on the calling thread.
  SelfTestResult Run(const Probe& probe) const {
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = probe.event.encoding.type;
    attr.config = probe.event.encoding.config;
    attr.disabled = 1;
    // User mode is enough, and allowed at paranoid level 2. The msr PMU cannot
    // tell modes apart.
    attr.exclude_kernel = probe.event.pmu != "msr";
    attr.exclude_hv = attr.exclude_kernel;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const SyscallResult opened = syscalls_.Open(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (!opened.ok()) return NotOpened(probe, opened.error);

    const int fd = static_cast<int>(opened.value);
    uint64_t words[3] = {};  // count, enabled, running
    syscalls_.Ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    BusyLoop();
    syscalls_.Ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    const SyscallResult read = syscalls_.Read(fd, words, sizeof(words));
    syscalls_.Close(fd);
    if (!read.ok() || read.value != static_cast<int64_t>(sizeof(words))) {
      return {PmuHealth::kImplausible, absl::StrCat(probe.event.text, " cannot be read")};
    }
    return Judge(probe, words[0], words[2]);
  }

 private:
  SelfTestResult NotOpened(const Probe& probe, int error) const {
    OpenAttempt attempt;
    attempt.event = &probe.event;
    attempt.has_core_pmu = has_core_pmu_;
    attempt.privileges = privileges_;
    return {PmuHealth::kUnavailable, std::string(OpenError(error, attempt).message())};
  }

  static SelfTestResult Judge(const Probe& probe, uint64_t count, uint64_t running_ns) {
    if (running_ns == 0) {
      return {PmuHealth::kUntested,
              absl::StrCat(probe.event.text,
                           " got no counter during the self-test: others hold "
                           "them all")};
    }
    if (count >= probe.minimum) return {PmuHealth::kCounts, ""};
    return {PmuHealth::kImplausible,
            absl::StrCat("self-test: ", probe.event.text, " counted ", count,
                         " over a loop of at least ", probe.minimum)};
  }

  PerfSyscalls& syscalls_;
  const bool has_core_pmu_;
  const Privileges privileges_;
};

// Runs `body` on a thread of its own, bound to `cpus` if there are any.
void RunOnCpus(const CpuList& cpus, const std::function<void(bool bound)>& body) {
  std::thread thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
      if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
    }
    body(cpus.empty() || sched_setaffinity(0, sizeof(set), &set) == 0);
  });
  thread.join();
}

// Several events of one PMU: it counts if each that opens reaches its minimum.
SelfTestResult TestPmu(const SelfTest& test, const std::vector<Probe>& probes,
                       const CpuList& cpus) {
  SelfTestResult result;
  RunOnCpus(cpus, [&](bool bound) {
    if (!bound) {
      result.note = "self-test could not run on the CPUs of this PMU";
      return;
    }
    result.health = PmuHealth::kUnavailable;
    for (const Probe& probe : probes) {
      const SelfTestResult outcome = test.Run(probe);
      if (outcome.health == PmuHealth::kUnavailable && result.health != PmuHealth::kUnavailable) {
        continue;  // Some PMUs lack one of the events; another was tested.
      }
      result.health = outcome.health;
      result.note = outcome.note;
      if (outcome.health == PmuHealth::kImplausible) return;
    }
  });
  return result;
}

std::vector<Probe> CoreProbes(absl::string_view pmu, uint64_t type_bits) {
  return {MakeProbe("cycles", pmu, PERF_TYPE_HARDWARE, type_bits | PERF_COUNT_HW_CPU_CYCLES,
                    kMinCycles),
          MakeProbe("instructions", pmu, PERF_TYPE_HARDWARE, type_bits | PERF_COUNT_HW_INSTRUCTIONS,
                    kMinInstructions)};
}

}  // namespace

std::map<std::string, SelfTestResult> RunSelfTest(PerfSyscalls& syscalls,
                                                  const PmuRegistry& registry,
                                                  absl::string_view root) {
  std::map<std::string, SelfTestResult> results;
  const std::vector<const SysfsPmu*> cores = registry.CorePmus();
  const SelfTest test(syscalls, !cores.empty(), ReadPrivileges(root));
  for (const SysfsPmu* pmu : cores) {
    const uint64_t type_bits = cores.size() > 1 ? uint64_t{pmu->type} << kPmuTypeShift : 0;
    const absl::StatusOr<absl::optional<CpuList>> cpus = pmu->ReadCpus();
    results[pmu->name] = TestPmu(test, CoreProbes(pmu->name, type_bits),
                                 cpus.ok() ? cpus->value_or(CpuList()) : CpuList());
  }
  if (cores.empty()) results["cpu"] = TestPmu(test, CoreProbes("", 0), {});
  results["software"] = TestPmu(
      test,
      {MakeProbe("task-clock", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, kMinTaskClockNs)},
      {});
  const SysfsPmu* const msr = registry.Find("msr");
  if (msr != nullptr && msr->status.ok() && msr->aliases.count("tsc") > 0) {
    results["msr"] = TestPmu(test, {MakeProbe("msr/tsc/", "msr", msr->type, 0, kMinTscTicks)}, {});
  }
  return results;
}

}  // namespace pmu::server
