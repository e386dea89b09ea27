#include "server/registers/simulated/old_intel_blocks.h"

namespace pmu::server {
namespace {

constexpr uint32_t kCesr = 0x11;
constexpr uint32_t kCtr0 = 0x12;
constexpr uint64_t kCesrBits = 0x03ff03ff;
constexpr uint64_t kClocksPerOccurrence = 3;
// A key of its own, so that occurrences and clocks differ also with jitter.
constexpr uint64_t kClocksKey = 0x100;

constexpr uint32_t kPerfEvtSel0 = 0x186;
constexpr uint32_t kPerfCtr0 = 0xc1;
constexpr uint64_t kSelectBits = 0xffffffff;
constexpr uint64_t kEnable = 1 << 22;

// CPU_CLK_UNHALTED and INST_RETIRED.
constexpr EventNumbers kP6Events = {0x79, 0xc0};
// The P5 has no event for its clock; 0x16 counts instructions.
constexpr EventNumbers kP5Events = {~uint64_t{0}, 0x16};

PmcEvent P5Event(const CoreModel& model, uint64_t half) {
  EventSelect select;
  select.code = half & 0x3f;
  select.kernel = (half >> 6) & 1;  // CPL 0 to 2
  select.user = (half >> 7) & 1;
  PmcEvent event = SelectedEvent(model, kP5Events, select);
  if ((half >> 8) & 1) {
    event.rate_hz *= kClocksPerOccurrence;
    event.key |= kClocksKey;
  }
  return event;
}

}  // namespace

bool I586Block::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg < kCesr || reg > kCtr0 + 1) return false;
  *contents = reg == kCesr ? cesr_ : bank_.Read(static_cast<int>(reg - kCtr0), now);
  return true;
}

bool I586Block::Write(uint32_t reg, uint64_t contents, const CoreTime& now) {
  if (reg < kCesr || reg > kCtr0 + 1) return false;
  if (reg != kCesr) {
    bank_.Write(static_cast<int>(reg - kCtr0), contents, now);
    return true;
  }
  cesr_ = contents & kCesrBits;
  for (int index = 0; index < 2; ++index) {
    const PmcEvent event = P5Event(*model_, cesr_ >> (16 * index));
    bank_.Configure(index, event, event.user || event.kernel, now);
  }
  return true;
}

bool I686Block::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg == kPerfEvtSel0 || reg == kPerfEvtSel0 + 1) {
    *contents = selects_[reg - kPerfEvtSel0];
    return true;
  }
  if (reg != kPerfCtr0 && reg != kPerfCtr0 + 1) return false;
  *contents = bank_.Read(static_cast<int>(reg - kPerfCtr0), now);
  return true;
}

bool I686Block::Write(uint32_t reg, uint64_t contents, const CoreTime& now) {
  if (reg == kPerfCtr0 || reg == kPerfCtr0 + 1) {
    bank_.Write(static_cast<int>(reg - kPerfCtr0), bank_.SignExtended(contents), now);
    return true;
  }
  if (reg != kPerfEvtSel0 && reg != kPerfEvtSel0 + 1) return false;
  selects_[reg - kPerfEvtSel0] = contents & kSelectBits & (reg == kPerfEvtSel0 ? ~0ull : ~kEnable);
  const bool running = (selects_[0] & kEnable) != 0;
  for (int index = 0; index < 2; ++index) {
    bank_.Configure(index, SelectedEvent(*model_, kP6Events, DecodeEventSelect(selects_[index])),
                    running, now);
  }
  return true;
}

}  // namespace pmu::server
