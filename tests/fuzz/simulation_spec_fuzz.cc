// The text after --simulate: any bytes give a machine or an error.
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  pmu::FakeClock clock;
  const auto machine = pmu::server::SimulatedMachine::Create({text}, &clock);
  if (!machine.ok()) {
    if (machine.status().message().empty()) __builtin_trap();
    return 0;
  }
  clock.Advance(1'234'567'890'123);
  if ((*machine)->cci400() != nullptr) {
    for (uint32_t offset = 0x9000; offset <= 0xd00c; offset += 4) {
      (void)(*machine)->cci400()->Write32(offset, 1);
      (void)(*machine)->cci400()->Read32(offset);
    }
  }
  if ((*machine)->cpus() != nullptr) {
    for (uint32_t reg : {0x10u, 0x11u, 0x12u, 0x34u, 0xc1u, 0xe8u, 0x186u, 0x38fu, 0xc0010200u}) {
      (void)(*machine)->cpus()->Write(0, reg, 0x4300c0);
      clock.Advance(1'000'000'007);
      (void)(*machine)->cpus()->Read(0, reg);
    }
  }
  return 0;
}
