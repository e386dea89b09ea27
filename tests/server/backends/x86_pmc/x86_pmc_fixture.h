// x86_pmc_fixture.h: an x86_pmc backend on simulated or fake registers.
#ifndef PMU_TESTS_SERVER_BACKENDS_X86_PMC_X86_PMC_FIXTURE_H_
#define PMU_TESTS_SERVER_BACKENDS_X86_PMC_X86_PMC_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/backends/x86_pmc/x86_pmc_backend.h"
#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"

namespace pmu::server {

inline constexpr int64_t kSecondNs = 1'000'000'000;

inline std::string Message(const absl::Status& status) { return std::string(status.message()); }

// Resolves and opens; every event must resolve.
inline std::unique_ptr<CounterSet> OpenSet(X86PmcBackend& backend, const std::string& text,
                                           CpuList cpus = {}) {
  CounterTarget target;
  target.cpus = std::move(cpus);
  const auto specs = ParseEventList(text);
  EXPECT_TRUE(specs.ok()) << specs.status();
  std::vector<ResolvedEvent> events;
  for (const EventSpec& spec : *specs) {
    auto resolved = backend.Resolve(spec, target);
    EXPECT_TRUE(resolved.ok()) << spec.text << ": " << resolved.status();
    if (resolved.ok()) events.push_back(resolved->front());
  }
  auto set = backend.Open(events, target);
  EXPECT_TRUE(set.ok()) << set.status();
  return set.ok() ? *std::move(set) : nullptr;
}

inline std::vector<RawReading> ReadSet(CounterSet& set) {
  std::vector<RawReading> readings(set.slots().size());
  set.Read(absl::MakeSpan(readings));
  return readings;
}

// A simulated machine with a backend on it.
struct SimulatedX86 {
  explicit SimulatedX86(std::vector<std::string> specs, RestoreJournal* journal = nullptr) {
    auto created = SimulatedMachine::Create(specs, &clock);
    EXPECT_TRUE(created.ok()) << created.status();
    machine = *std::move(created);
    X86PmcOptions options;
    options.device = machine->cpus();
    options.cpuid = machine->cpus();
    options.clock = &clock;
    options.journal = journal;
    options.simulated = true;
    options.online_cpus = [this] { return machine->cpus()->OnlineCpus(); };
    options.observer = [this](const RegisterAccess& access) {
      if (access.is_write) writes.push_back(FormatRegisterAccess(access));
    };
    options.poll_interval_ns = 0;
    backend = X86PmcBackend::Create(std::move(options));
  }

  uint64_t Register(uint32_t reg, int cpu = 0) { return *machine->cpus()->Read(cpu, reg); }

  FakeClock clock;
  std::unique_ptr<SimulatedMachine> machine;
  std::vector<std::string> writes;
  std::unique_ptr<X86PmcBackend> backend;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_BACKENDS_X86_PMC_X86_PMC_FIXTURE_H_
