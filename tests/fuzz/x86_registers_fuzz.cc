// Event strings from the wire that reach the registers of x86 CPUs: whatever
// they say, nothing but the class's registers is written, every register is as
// before afterwards, and nothing crashes.
//
// Input: a byte that chooses the machine, a byte that moves the clock, then an
// event list.
#include <stddef.h>
#include <stdint.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/event_spec.h"
#include "server/backends/aperf_mperf/aperf_mperf_backend.h"
#include "server/backends/x86_pmc/x86_pmc_backend.h"
#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_restore_journal.h"

namespace pmu::server {
namespace {

constexpr uint64_t kSelect = 0xffffffff;
constexpr uint64_t kBits40 = (uint64_t{1} << 40) - 1;
constexpr uint64_t kBits48 = (uint64_t{1} << 48) - 1;

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

// What may be written: written out here, apart from the allow-lists.
struct Writable {
  uint32_t first, last;
  uint64_t bits;
};
struct Machine {
  const char* spec;
  std::vector<Writable> writable;
};

const std::vector<Machine>& Machines() {
  static const auto& machines = *new std::vector<Machine>{
      {"p5:cpus=2", {{0x11, 0x11, 0x01ff01ff}, {0x12, 0x13, kBits40}}},
      {"p6:cpus=2", {{0x186, 0x187, kSelect}, {0xc1, 0xc2, kBits40}}},
      {"arch-perfmon:cpus=2",
       {{0x186, 0x189, kSelect}, {0x4c1, 0x4c4, kBits48}, {0x38f, 0x38f, 0xf}}},
      {"arch-perfmon:cpus=2,version=1,counters=2,width=40",
       {{0x186, 0x187, kSelect}, {0x4c1, 0x4c2, kBits40}}},
      {"amd:cpus=2", {{0xc0010200, 0xc001020b, kBits48}}},
      {"amd:cpus=2,counters=4", {{0xc0010000, 0xc0010007, kBits48}}},
  };
  return machines;
}

// Below the guards: what really reaches the device.
class WatchedDevice final : public MsrDevice {
 public:
  WatchedDevice(SimulatedCpus* device, const Machine& machine)
      : device_(device), machine_(machine) {}

  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override { return device_->Read(cpu, reg); }
  absl::Status Write(int cpu, uint32_t reg, uint64_t contents) override {
    bool allowed = false;
    for (const Writable& range : machine_.writable) {
      if (reg >= range.first && reg <= range.last) allowed = (contents & ~range.bits) == 0;
    }
    Require(allowed);
    return device_->Write(cpu, reg, contents);
  }
  std::string Description() const override { return "watched"; }

 private:
  SimulatedCpus* const device_;
  const Machine& machine_;
};

std::map<uint64_t, uint64_t> AllRegisters(SimulatedCpus* device, const Machine& machine) {
  std::map<uint64_t, uint64_t> contents;
  for (int cpu = 0; cpu < 2; ++cpu) {
    for (const Writable& range : machine.writable) {
      for (uint32_t reg = range.first; reg <= range.last; ++reg) {
        contents[uint64_t{reg} << 8 | static_cast<uint64_t>(cpu)] = device->Read(cpu, reg).value();
      }
    }
  }
  return contents;
}

void RunSession(CounterBackend& backend, absl::string_view text, FakeClock* clock, uint8_t moves) {
  const auto specs = ParseEventList(text);
  if (!specs.ok()) return;
  std::vector<ResolvedEvent> events;
  for (const EventSpec& spec : *specs) {
    const auto resolved = backend.Resolve(spec, {});
    if (resolved.ok()) events.insert(events.end(), resolved->begin(), resolved->end());
  }
  if (events.empty()) return;
  auto set = backend.Open(events, {});
  Require(set.ok());
  std::vector<RawReading> readings((*set)->slots().size());
  Require((*set)->Enable().ok());
  for (int step = 0; step < 3; ++step) {
    clock->Advance(int64_t{moves} * 20'000'000);
    (*set)->Read(absl::MakeSpan(readings));
    (void)(*set)->Notes();
  }
  if (moves & 1) Require((*set)->Disable().ok());
  (*set)->Read(absl::MakeSpan(readings));
}

void RunInput(uint8_t choice, uint8_t moves, absl::string_view text) {
  const Machine& machine = Machines()[choice % Machines().size()];
  FakeClock clock;
  FakeRestoreJournal journal;
  auto simulated = SimulatedMachine::Create({machine.spec, "aperf-mperf", "smi"}, &clock).value();
  SimulatedCpus* cpus = simulated->cpus();
  WatchedDevice device(cpus, machine);
  const auto online = [cpus]() -> absl::StatusOr<CpuList> { return cpus->OnlineCpus(); };

  X86PmcOptions x86_pmc;
  x86_pmc.device = &device;
  x86_pmc.cpuid = cpus;
  x86_pmc.clock = &clock;
  x86_pmc.journal = &journal;
  x86_pmc.simulated = true;
  x86_pmc.online_cpus = online;
  x86_pmc.poll_interval_ns = 0;
  auto counters = X86PmcBackend::Create(x86_pmc);
  AperfMperfOptions aperf_mperf;
  aperf_mperf.device = &device;
  aperf_mperf.cpuid = cpus;
  aperf_mperf.clock = &clock;
  aperf_mperf.simulated = true;
  aperf_mperf.online_cpus = online;
  aperf_mperf.busy_loop = [&](int, int64_t duration_ns) {
    clock.Advance(duration_ns);
    return absl::OkStatus();
  };
  auto clocks = AperfMperfBackend::Create(aperf_mperf);

  const auto before = AllRegisters(cpus, machine);
  RunSession(*counters, text, &clock, moves);
  RunSession(*clocks, text, &clock, moves);
  Require(AllRegisters(cpus, machine) == before);
  Require(journal.pending.empty());
}

}  // namespace
}  // namespace pmu::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  pmu::server::RunInput(data[0], data[1],
                        absl::string_view(reinterpret_cast<const char*>(data + 2), size - 2));
  return 0;
}
