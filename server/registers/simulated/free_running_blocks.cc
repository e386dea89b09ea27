#include "server/registers/simulated/free_running_blocks.h"

namespace pmu::server {
namespace {

constexpr uint32_t kTsc = 0x10;
constexpr uint32_t kSmiCount = 0x34;
constexpr uint32_t kPlatformInfo = 0xce;
constexpr uint32_t kMperf = 0xe7;
constexpr uint32_t kAperf = 0xe8;
constexpr uint32_t kAmdP0Definition = 0xc0010064;
constexpr uint64_t kHundredMhz = 100'000'000;

// Both registers follow one pattern: their ratio is the clocks' ratio.
constexpr uint64_t kBusyKey = uint64_t{1} << 62;

// Family 17h: frequency = 200 MHz x Fid [7:0] / DfsId [13:8]; bit 63 valid.
uint64_t AmdPstate(uint64_t hz) {
  const uint64_t divider = 8;
  return uint64_t{1} << 63 | divider << 8 | (hz / 25'000'000 & 0xff);
}

}  // namespace

bool TscBlock::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg != kTsc) return false;
  *contents = EventTotal({}, 0, model_->tsc_hz, now.elapsed_ns);
  return true;
}

bool TscBlock::Write(uint32_t, uint64_t, const CoreTime&) { return false; }

bool AperfMperfBlock::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg == kMperf || reg == kAperf) {
    const uint64_t hz = model_->WhileBusy(reg == kMperf ? model_->nominal_hz : model_->cycles_hz);
    *contents = start_ + EventTotal(model_->pattern, kBusyKey, hz, now.elapsed_ns);
    return true;
  }
  if (is_amd_ && reg == kAmdP0Definition) {
    *contents = AmdPstate(model_->nominal_hz);
    return true;
  }
  if (!is_amd_ && reg == kPlatformInfo) {
    *contents = (model_->nominal_hz / kHundredMhz & 0xff) << 8;
    return true;
  }
  return false;
}

bool AperfMperfBlock::Write(uint32_t, uint64_t, const CoreTime&) { return false; }

bool SmiCountBlock::Read(uint32_t reg, const CoreTime& now, uint64_t* contents) {
  if (reg != kSmiCount) return false;
  *contents = (start_ + schedule_.CountAt(now.elapsed_ns)) & 0xffffffff;
  return true;
}

bool SmiCountBlock::Write(uint32_t, uint64_t, const CoreTime&) { return false; }

}  // namespace pmu::server
