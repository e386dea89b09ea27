// cci400_board.h: a simulated board with a CCI-400, its backend, and a log of
// what the backend does to the registers. Tests only.
#ifndef PMU_TESTS_SERVER_BACKENDS_CCI400_CCI400_BOARD_H_
#define PMU_TESTS_SERVER_BACKENDS_CCI400_CCI400_BOARD_H_

#include <memory>
#include <string>
#include <vector>

#include "common/event_spec.h"
#include "server/backends/cci400/cci400_backend.h"
#include "server/registers/simulated/simulated_cci400.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_restore_journal.h"

namespace pmu::server {

class Cci400Board {
 public:
  explicit Cci400Board(const std::string& simulation = "cci400-r1") { PowerOn(simulation); }

  void PowerOn(const std::string& simulation) {
    device = std::make_unique<SimulatedCci400>(ParseSimulationSpec(simulation).value(), &clock);
    StartBackend();
  }

  // A new backend on the same registers, as a restarted agent has.
  void StartBackend() {
    Cci400Options options;
    options.region = device.get();
    options.simulated = simulated;
    options.root = root;
    options.interface_names[3] = "A53 cluster";
    options.take_over = take_over;
    options.journal = &journal;
    options.clock = &clock;
    options.poll_interval_ns = 0;  // Tests poll themselves.
    options.observer = [this](const RegisterAccess& access) {
      if (access.is_write) writes.push_back(FormatRegisterAccess(access));
    };
    backend = std::make_unique<Cci400Backend>(options);
  }

  // Resolves; all events must be valid.
  std::vector<ResolvedEvent> Resolve(const std::string& text) const {
    std::vector<ResolvedEvent> events;
    const std::vector<EventSpec> specs = ParseEventList(text).value();
    for (const EventSpec& spec : specs) {
      events.push_back(backend->Resolve(spec, target).value()[0]);
    }
    return events;
  }

  std::unique_ptr<CounterSet> Open(const std::string& text) {
    return backend->Open(Resolve(text), target).value();
  }

  // The set as what it is, to poll it. Only for sets that did open.
  static Cci400Set& AsCci400(CounterSet& set) { return static_cast<Cci400Set&>(set); }

  static std::vector<RawReading> Read(CounterSet& set) {
    std::vector<RawReading> readings(set.slots().size());
    set.Read(absl::MakeSpan(readings));
    return readings;
  }

  uint32_t Register(uint32_t offset) { return device->Read32(offset).value(); }

  FakeClock clock;
  FakeRestoreJournal journal;
  CounterTarget target;
  bool simulated = true;
  bool take_over = false;
  std::string root = "/no-such-root";  // where no kernel PMU is
  std::vector<std::string> writes;
  std::unique_ptr<SimulatedCci400> device;
  std::unique_ptr<Cci400Backend> backend;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_BACKENDS_CCI400_CCI400_BOARD_H_
