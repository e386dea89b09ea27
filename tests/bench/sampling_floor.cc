// What a sample of the perf_event backend costs above the read(2)s in it.
//
//   sampling_floor ROUNDS    prints a line "ours_ns floor_ns" for each round:
//                            CPU time per sample of one group of four software
//                            events on every CPU, and of bare reads of the same
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "common/event_spec.h"
#include "server/backends/perf_event/perf_event_backend.h"

namespace {

constexpr int kSamples = 20'000;
constexpr uint64_t kConfigs[] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
                                 PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CPU_MIGRATIONS};

int64_t CpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::vector<int> OpenBareGroups() {
  std::vector<int> leaders;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    int leader = -1;
    for (const uint64_t config : kConfigs) {
      perf_event_attr attr = {};
      attr.size = sizeof(attr);
      attr.type = PERF_TYPE_SOFTWARE;
      attr.config = config;
      attr.read_format =
          PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const auto fd = static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, leader, 0));
      if (fd < 0) {
        std::perror("perf_event_open");
        std::exit(1);
      }
      if (leader < 0) leaders.push_back(leader = fd);
    }
  }
  return leaders;
}

int64_t BareSampleNs(const std::vector<int>& leaders) {
  uint64_t buffer[3 + std::size(kConfigs)];
  const int64_t begin_ns = CpuNs();
  for (int i = 0; i < kSamples; ++i) {
    for (const int leader : leaders) {
      if (read(leader, buffer, sizeof(buffer)) < 0) std::exit(1);
    }
  }
  return (CpuNs() - begin_ns) / kSamples;
}

int64_t OurSampleNs(pmu::server::CounterSet* set) {
  std::vector<pmu::RawReading> readings(set->slots().size());
  const int64_t begin_ns = CpuNs();
  for (int i = 0; i < kSamples; ++i) set->Read(absl::MakeSpan(readings));
  return (CpuNs() - begin_ns) / kSamples;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  auto backend = pmu::server::PerfEventBackend::Create({}).value();
  const pmu::server::CounterTarget target;
  std::vector<pmu::server::ResolvedEvent> events;
  const auto specs =
      pmu::ParseEventList("{task-clock,context-switches,page-faults,cpu-migrations}").value();
  for (const pmu::EventSpec& spec : specs)
    events.push_back(backend->Resolve(spec, target)->front());
  const auto set = backend->Open(events, target).value();
  if (!set->Enable().ok()) return 1;
  const std::vector<int> leaders = OpenBareGroups();
  for (int round = 0; round < rounds; ++round) {
    const int64_t ours_ns = OurSampleNs(set.get());
    const int64_t floor_ns = BareSampleNs(leaders);
    std::printf("%lld %lld\n", static_cast<long long>(ours_ns), static_cast<long long>(floor_ns));
  }
  return 0;
}
