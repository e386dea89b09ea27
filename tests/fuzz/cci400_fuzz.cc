// Event strings from the wire that reach the CCI-400's registers: whatever
// they say, and whatever the device does, nothing outside the allow-list is
// touched, every register is as before afterwards, and nothing crashes.
//
// Input: a byte of switches, a byte that moves the clock, then an event list.
#include <stddef.h>
#include <stdint.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/event_spec.h"
#include "server/backends/cci400/cci400_backend.h"
#include "server/registers/simulated/simulated_cci400.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_restore_journal.h"

namespace pmu::server {
namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

// The registers that a session may change: written out here, apart from the
// allow-list itself.
bool MayWrite(uint32_t offset, uint32_t contents) {
  if (offset == 0x100) return (contents & ~0xf83fu) == 0;
  const uint32_t frame = offset & 0xf000;
  const uint32_t reg = offset & 0xfff;
  if (frame < 0x9000 || frame > 0xd000) return false;
  if (reg == 0x0) return frame != 0x9000 && contents <= 0xff;
  if (reg == 0x4) return true;
  return (reg == 0x8 || reg == 0xc) && contents <= 1;
}

// Below the guard: what really reaches the device.
class WatchedRegion final : public MmioRegion {
 public:
  explicit WatchedRegion(SimulatedCci400* device) : device_(device) {}
  absl::StatusOr<uint32_t> Read32(uint32_t offset) override { return device_->Read32(offset); }
  absl::Status Write32(uint32_t offset, uint32_t value) override {
    Require(MayWrite(offset, value));
    return device_->Write32(offset, value);
  }
  uint32_t size_bytes() const override { return device_->size_bytes(); }
  std::string Description() const override { return "watched"; }

 private:
  SimulatedCci400* const device_;
};

std::map<uint32_t, uint32_t> AllRegisters(SimulatedCci400* device) {
  std::map<uint32_t, uint32_t> contents;
  for (uint32_t offset : {0x100u, 0x9004u, 0x9008u, 0x900cu}) {
    contents[offset] = device->Read32(offset).value();
  }
  for (uint32_t frame = 0xa000; frame <= 0xd000; frame += 0x1000) {
    for (uint32_t reg = 0; reg <= 0xc; reg += 4) {
      contents[frame + reg] = device->Read32(frame + reg).value();
    }
  }
  return contents;
}

std::vector<ResolvedEvent> ResolveAll(const CounterBackend& backend, absl::string_view text,
                                      const CounterTarget& target) {
  std::vector<ResolvedEvent> events;
  const auto specs = ParseEventList(text);
  if (!specs.ok()) return events;
  for (const EventSpec& spec : *specs) {
    const auto resolved = backend.Resolve(spec, target);
    if (!resolved.ok()) continue;
    for (const ResolvedEvent& event : *resolved) {
      Require(event.encoding.config <= 0xff);
      events.push_back(event);
    }
  }
  return events;
}

// One session; `moves` moves the clock.
void RunSession(CounterSet* set, FakeClock* clock, uint8_t moves, bool limit) {
  std::vector<RawReading> readings(set->slots().size());
  if (limit) (void)set->SetCycleLimit({uint64_t{moves} * 1'000'000 + 1, [] {}});
  const bool opened = !set->slots().empty() && set->slots()[0].status.ok();
  (void)set->Enable();
  for (int step = 0; step < 8; ++step) {
    clock->Advance(int64_t{moves} * 50'000'000);
    // A closed set is no Cci400Set, but one whose first slot is open is.
    if (opened) (void)static_cast<Cci400Set*>(set)->Poll();
    set->Read(absl::MakeSpan(readings));
  }
  (void)set->Disable();
  set->Read(absl::MakeSpan(readings));
  (void)set->Notes();
}

void RunInput(uint8_t switches, uint8_t moves, absl::string_view text) {
  FakeClock clock;
  FakeRestoreJournal journal;
  std::string model = (switches & 1) ? "cci400-r1:seed=1" : "cci400-r0:seed=1";
  if (switches & 2) model += ",niden=0";
  if (switches & 4) model += ",start=0xfffffff0";
  SimulatedCci400 device(ParseSimulationSpec(model).value(), &clock);
  WatchedRegion region(&device);
  Cci400Options options;
  options.region = &region;
  options.simulated = true;
  options.clock = &clock;
  options.journal = &journal;
  options.poll_interval_ns = 0;
  Cci400Backend backend(options);
  CounterTarget target;
  target.multiplex = (switches & 8) != 0;
  const std::vector<ResolvedEvent> events = ResolveAll(backend, text, target);
  if (events.empty()) return;
  const std::map<uint32_t, uint32_t> before = AllRegisters(&device);
  {
    const auto set = backend.Open(events, target);
    Require(set.ok() && (*set)->slots().size() == events.size());
    RunSession(set->get(), &clock, moves, (switches & 16) != 0);
  }
  Require(AllRegisters(&device) == before);
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
