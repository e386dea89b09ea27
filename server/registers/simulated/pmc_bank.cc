#include "server/registers/simulated/pmc_bank.h"

namespace pmu::server {
namespace {

// Bit 63 of a key tells the kernel's part of an event from the user's.
constexpr uint64_t kKernelPart = uint64_t{1} << 63;

// The rate of an event before counter mask, edge and invert.
uint64_t BaseRateHz(const CoreModel& model, const EventNumbers& numbers, uint64_t code,
                    uint64_t unit_mask) {
  const uint64_t key = code | unit_mask << 8;
  const auto named = model.event_hz.find(key);
  if (named != model.event_hz.end()) return named->second;
  if (code == numbers.cycles_code && unit_mask == 0) return model.cycles_hz;
  if (model.rate_hz.has_value()) return *model.rate_hz;
  if (code == numbers.instructions_code && unit_mask == 0) return model.cycles_hz / 2 * 3;
  return SeededNumber(model.pattern.seed, key, model.cycles_hz / 1000, model.cycles_hz / 20);
}

}  // namespace

PmcBank::PmcBank(const CoreModel* model, int counters, int width_bits)
    : model_(model), width_bits_(width_bits), counters_(counters) {
  for (Counter& counter : counters_) counter.contents = model->start & Mask();
}

uint64_t PmcBank::Mask() const {
  return width_bits_ >= 64 ? ~uint64_t{0} : (uint64_t{1} << width_bits_) - 1;
}

uint64_t PmcBank::SignExtended(uint64_t contents) const {
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(contents)}) & Mask();
}

uint64_t PmcBank::TotalAt(const PmcEvent& event, int64_t counting_ns) const {
  const uint64_t busy_hz = model_->WhileBusy(event.rate_hz);
  const uint64_t user_hz = busy_hz * model_->user_percent / 100;
  uint64_t total = 0;
  if (event.user) total += EventTotal(model_->pattern, event.key, user_hz, counting_ns);
  if (event.kernel) {
    total += EventTotal(model_->pattern, event.key | kKernelPart, busy_hz - user_hz, counting_ns);
  }
  return total;
}

void PmcBank::Advance(Counter* counter, const CoreTime& now) const {
  if (counter->running) {
    const uint64_t delta =
        TotalAt(counter->event, now.counting_ns) - TotalAt(counter->event, counter->advanced_ns);
    if (delta > Mask() - counter->contents) counter->overflow = true;
    counter->contents = (counter->contents + delta) & Mask();
  }
  counter->advanced_ns = now.counting_ns;
}

void PmcBank::Configure(int index, const PmcEvent& event, bool running, const CoreTime& now) {
  Counter& counter = counters_[index];
  Advance(&counter, now);
  counter.event = event;
  counter.running = running;
}

uint64_t PmcBank::Read(int index, const CoreTime& now) {
  Advance(&counters_[index], now);
  return counters_[index].contents;
}

void PmcBank::Write(int index, uint64_t contents, const CoreTime& now) {
  Advance(&counters_[index], now);
  counters_[index].contents = contents & Mask();
}

bool PmcBank::Overflowed(int index, const CoreTime& now) {
  Advance(&counters_[index], now);
  return counters_[index].overflow;
}

EventSelect DecodeEventSelect(uint64_t select) {
  EventSelect out;
  out.code = (select & 0xff) | (select & 0xf00000000);  // AMD's bits stay at [35:32].
  out.unit_mask = (select >> 8) & 0xff;
  out.user = (select >> 16) & 1;
  out.kernel = (select >> 17) & 1;
  out.edge = (select >> 18) & 1;
  out.enable = (select >> 22) & 1;
  out.invert = (select >> 23) & 1;
  out.counter_mask = (select >> 24) & 0xff;
  return out;
}

PmcEvent SelectedEvent(const CoreModel& model, const EventNumbers& numbers,
                       const EventSelect& select) {
  PmcEvent event;
  event.key = select.code | select.unit_mask << 8;
  event.user = select.user;
  event.kernel = select.kernel;
  event.rate_hz = BaseRateHz(model, numbers, select.code, select.unit_mask);
  event.rate_hz /= select.counter_mask + 1;
  if (select.invert && select.counter_mask != 0) {
    event.rate_hz = model.cycles_hz > event.rate_hz ? model.cycles_hz - event.rate_hz : 0;
  }
  if (select.edge) event.rate_hz /= 2;
  return event;
}

}  // namespace pmu::server
