// Plays the CCI-400's performance monitor in a guest's memory.
//
//   cci400_in_ram FILE OFFSET
//
// FILE is the guest's RAM, shared with QEMU; the 64 KiB of registers lie at
// OFFSET. Every millisecond all counters that are enabled go on: the cycle
// counter by kCyclesPerTick, an event counter by what its event select says
// (StepOf), so that a guest's counts can be checked against each other to the
// unit. RAM cannot answer an access: what a write alone would do (the reset
// bits of PMCR, clearing an overflow flag) takes effect at the next tick, if
// the value is still there; a flag that is set cannot be seen being cleared.
// Ends with SIGTERM.
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kWindowBytes = 0x10000;
constexpr uint32_t kPmcr = 0x100;
constexpr uint32_t kPeripheralId2 = 0xfe8;
constexpr uint32_t kCounterCount = 4;
constexpr uint32_t kCyclesPerTick = 1000;
constexpr int64_t kTickNs = 1'000'000;

class Registers {
 public:
  explicit Registers(void* window) : words_(static_cast<uint32_t*>(window)) {}

  uint32_t Read(uint32_t offset) const {
    return __atomic_load_n(words_ + offset / 4, __ATOMIC_ACQUIRE);
  }
  void Write(uint32_t offset, uint32_t contents) {
    __atomic_store_n(words_ + offset / 4, contents, __ATOMIC_RELEASE);
  }
  // Returns whether it wrapped.
  bool Add(uint32_t offset, uint32_t amount) {
    return __atomic_fetch_add(words_ + offset / 4, amount, __ATOMIC_ACQ_REL) + amount < amount;
  }

 private:
  uint32_t* const words_;
};

// Different for each event and interface; the snoop hits (0x0a) of an interface
// are fewer than its shareable reads (0x03).
uint32_t StepOf(uint32_t select) { return 900 - 20 * (select & 0x1f) + (select >> 5 & 7); }

void PowerOn(Registers* registers) {
  registers->Write(kPmcr, kCounterCount << 11);
  registers->Write(kPeripheralId2, 0x60);  // r1
}

class Monitor {
 public:
  explicit Monitor(Registers* registers) : registers_(registers) {}

  void Tick() {
    const bool enabled = (registers_->Read(kPmcr) & 1) != 0;
    for (uint32_t counter = 0; counter <= kCounterCount; ++counter) {
      const uint32_t frame = 0x9000 + 0x1000 * counter;
      if (enabled && (registers_->Read(frame + 8) & 1) != 0) {
        const uint32_t step = counter == 0 ? kCyclesPerTick : StepOf(registers_->Read(frame));
        overflowed_[counter] |= registers_->Add(frame + 4, step);
      }
      // Also takes back the 1 that clears a flag.
      registers_->Write(frame + 0xc, overflowed_[counter] ? 1 : 0);
    }
  }

 private:
  Registers* const registers_;
  bool overflowed_[kCounterCount + 1] = {};
};

void TickForEver(Monitor* monitor) {
  timespec next = {};
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    next.tv_nsec += kTickNs;
    if (next.tv_nsec >= 1'000'000'000) {
      next.tv_nsec -= 1'000'000'000;
      ++next.tv_sec;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    monitor->Tick();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: cci400_in_ram FILE OFFSET\n");
    return 2;
  }
  const int fd = open(argv[1], O_RDWR | O_CLOEXEC);
  const auto offset = static_cast<off_t>(std::strtoull(argv[2], nullptr, 0));
  void* const window =
      fd < 0 ? MAP_FAILED
             : mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  if (window == MAP_FAILED) {
    std::perror(argv[1]);
    return 1;
  }
  Registers registers(window);
  PowerOn(&registers);
  std::puts("on");
  std::fflush(stdout);
  Monitor monitor(&registers);
  TickForEver(&monitor);
}
