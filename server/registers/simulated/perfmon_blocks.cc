#include "server/registers/simulated/perfmon_blocks.h"

namespace pmu::server {
namespace {

constexpr uint32_t kPmc0 = 0xc1;
constexpr uint32_t kPerfEvtSel0 = 0x186;
constexpr uint32_t kFixedCtr0 = 0x309;
constexpr uint32_t kPerfCapabilities = 0x345;
constexpr uint32_t kFixedCtrCtrl = 0x38d;
constexpr uint32_t kGlobalStatus = 0x38e;
constexpr uint32_t kGlobalCtrl = 0x38f;
constexpr uint32_t kGlobalOvfCtrl = 0x390;
constexpr uint32_t kGlobalInUse = 0x392;
constexpr uint32_t kFullWidthPmc0 = 0x4c1;
constexpr uint64_t kFullWidthWrites = 1 << 13;  // In PERF_CAPABILITIES.
constexpr int kFixedCounters = 3;
constexpr uint64_t kInterrupt = 1 << 20;  // In an event select.
constexpr uint64_t kFixedInterrupt = 1 << 3;

constexpr EventNumbers kIntelEvents = {0x3c, 0xc0};
constexpr EventNumbers kAmdEvents = {0x76, 0xc0};

PmcEvent FixedEvent(const CoreModel& model, int index, uint64_t control) {
  EventSelect select;
  select.code = index == 0 ? kIntelEvents.instructions_code : kIntelEvents.cycles_code;
  select.kernel = control & 1;
  select.user = (control >> 1) & 1;
  PmcEvent event = SelectedEvent(model, kIntelEvents, select);
  if (index == 2) {  // Reference cycles: the nominal clock.
    event.key = 0x13c;
    event.rate_hz = model.nominal_hz;
  }
  return event;
}

}  // namespace

ArchPerfmonBlock::ArchPerfmonBlock(const CoreModel* model, const PerfmonShape& shape)
    : model_(model),
      shape_(shape),
      general_(model, shape.counters, shape.width_bits),
      fixed_(model, kFixedCounters, shape.width_bits),
      selects_(shape.counters),
      // At reset the general counters are enabled (SDM volume 3A, table 10-1).
      global_control_((uint64_t{1} << shape.counters) - 1) {}

uint64_t ArchPerfmonBlock::GlobalBits() const {
  return ((uint64_t{1} << general_.size()) - 1) | ((uint64_t{1} << kFixedCounters) - 1) << 32;
}

void ArchPerfmonBlock::ConfigureAll(const CoreTime& now) {
  const bool has_global = shape_.version >= 2;
  for (int index = 0; index < general_.size(); ++index) {
    const EventSelect select = DecodeEventSelect(selects_[index]);
    const bool running = select.enable && (!has_global || ((global_control_ >> index) & 1));
    general_.Configure(index, SelectedEvent(*model_, kIntelEvents, select), running, now);
  }
  for (int index = 0; index < kFixedCounters; ++index) {
    const uint64_t control = (fixed_control_ >> (4 * index)) & 3;
    const bool running = has_global && ((global_control_ >> (32 + index)) & 1);
    fixed_.Configure(index, FixedEvent(*model_, index, control), running, now);
  }
}

uint64_t ArchPerfmonBlock::Status(const CoreTime& now) {
  uint64_t status = 0;
  for (int index = 0; index < general_.size(); ++index) {
    if (general_.Overflowed(index, now)) status |= uint64_t{1} << index;
  }
  for (int index = 0; index < kFixedCounters; ++index) {
    if (fixed_.Overflowed(index, now)) status |= uint64_t{1} << (32 + index);
  }
  return status;
}

uint64_t ArchPerfmonBlock::InUse() const {
  uint64_t in_use = 0;
  bool interrupts = false;
  for (int index = 0; index < general_.size(); ++index) {
    if (selects_[index] & 0xff) in_use |= uint64_t{1} << index;
    if (selects_[index] & kInterrupt) interrupts = true;
  }
  for (int index = 0; index < kFixedCounters; ++index) {
    const uint64_t control = fixed_control_ >> (4 * index);
    if (control & 3) in_use |= uint64_t{1} << (32 + index);
    if (control & kFixedInterrupt) interrupts = true;
  }
  return interrupts ? in_use | uint64_t{1} << 63 : in_use;
}

bool ArchPerfmonBlock::ReadControl(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg == kPerfCapabilities) {
    *contents = kFullWidthWrites;
    return true;
  }
  if (shape_.version < 2) return false;
  switch (reg) {
    case kFixedCtrCtrl:
      *contents = fixed_control_;
      return true;
    case kGlobalStatus:
      *contents = Status(now);
      return true;
    case kGlobalCtrl:
      *contents = global_control_;
      return true;
    case kGlobalOvfCtrl:
      *contents = 0;
      return true;
    case kGlobalInUse:
      *contents = InUse();
      return shape_.version >= 4;
    default:
      return false;
  }
}

bool ArchPerfmonBlock::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  const uint32_t count = static_cast<uint32_t>(general_.size());
  if (reg - kPerfEvtSel0 < count) {
    *contents = selects_[reg - kPerfEvtSel0];
  } else if (reg - kPmc0 < count) {
    *contents = general_.Read(static_cast<int>(reg - kPmc0), now);
  } else if (reg - kFullWidthPmc0 < count) {
    *contents = general_.Read(static_cast<int>(reg - kFullWidthPmc0), now);
  } else if (shape_.version >= 2 && reg - kFixedCtr0 < kFixedCounters) {
    *contents = fixed_.Read(static_cast<int>(reg - kFixedCtr0), now);
  } else {
    return ReadControl(reg, now, contents);
  }
  return true;
}

bool ArchPerfmonBlock::WriteCounter(uint32_t reg, uint64_t contents, const CoreTime& now) {
  const uint32_t count = static_cast<uint32_t>(general_.size());
  if (reg - kPmc0 < count) {
    general_.Write(static_cast<int>(reg - kPmc0), general_.SignExtended(contents), now);
    return true;
  }
  if (reg - kFullWidthPmc0 < count) {
    // A bit above the counter's width is a fault.
    if (shape_.width_bits < 64 && (contents >> shape_.width_bits) != 0) return false;
    general_.Write(static_cast<int>(reg - kFullWidthPmc0), contents, now);
    return true;
  }
  if (shape_.version < 2 || reg - kFixedCtr0 >= kFixedCounters) return false;
  fixed_.Write(static_cast<int>(reg - kFixedCtr0), contents, now);
  return true;
}

bool ArchPerfmonBlock::WriteControl(uint32_t reg, uint64_t contents, const CoreTime& now) {
  if (shape_.version < 2) return false;
  switch (reg) {
    case kFixedCtrCtrl:
      fixed_control_ = contents & 0xfff;
      return true;
    case kGlobalCtrl:
      // A bit of a counter that is not there is a fault.
      if (contents & ~GlobalBits()) return false;
      global_control_ = contents;
      return true;
    case kGlobalOvfCtrl:
      Status(now);  // Wraps up to now are cleared too.
      for (int index = 0; index < general_.size(); ++index) {
        if ((contents >> index) & 1) general_.ClearOverflow(index);
      }
      for (int index = 0; index < kFixedCounters; ++index) {
        if ((contents >> (32 + index)) & 1) fixed_.ClearOverflow(index);
      }
      return true;
    default:
      return false;
  }
}

bool ArchPerfmonBlock::Write(uint32_t reg, uint64_t contents, const CoreTime& now) {
  if (WriteCounter(reg, contents, now)) return true;
  if (reg - kPerfEvtSel0 < static_cast<uint32_t>(general_.size())) {
    if (contents >> 32) return false;
    selects_[reg - kPerfEvtSel0] = contents;
  } else if (!WriteControl(reg, contents, now)) {
    return false;
  }
  ConfigureAll(now);
  return true;
}

AmdBlock::AmdBlock(const CoreModel* model, int counters)
    : model_(model), bank_(model, counters, 48), selects_(counters) {}

int AmdBlock::Decode(uint32_t reg, bool* is_select) const {
  if (reg >= 0xc0010000 && reg <= 0xc0010007) {
    *is_select = reg <= 0xc0010003;
    return static_cast<int>(reg & 3);
  }
  const uint32_t extended = reg - 0xc0010200;
  if (bank_.size() != 6 || extended >= 12) return -1;
  *is_select = extended % 2 == 0;
  return static_cast<int>(extended / 2);
}

bool AmdBlock::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  bool is_select = false;
  const int index = Decode(reg, &is_select);
  if (index < 0) return false;
  *contents = is_select ? selects_[index] : bank_.Read(index, now);
  return true;
}

bool AmdBlock::Write(uint32_t reg, uint64_t contents, const CoreTime& now) {
  bool is_select = false;
  const int index = Decode(reg, &is_select);
  if (index < 0) return false;
  if (!is_select) {
    bank_.Write(index, contents, now);
    return true;
  }
  selects_[index] = contents;
  const EventSelect select = DecodeEventSelect(contents);
  bank_.Configure(index, SelectedEvent(*model_, kAmdEvents, select), select.enable, now);
  return true;
}

}  // namespace pmu::server
