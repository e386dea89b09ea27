// event_total.h: how often a simulated event has happened up to an instant.
//
// Total(t) = floor(rate x W(t) / 10^15), where W(t) is the sum over the time
// of a weight in millionths. Without jitter the weight is 10^6 throughout, so
// Total(t) = floor(rate_hz x t_ns / 10^9). With jitter J percent the weight
// changes every 100 ms within +-J%, in a pattern fixed by seed and event that
// repeats after 6.4 s and has mean 10^6, so that every 6.4 s exactly
// rate x 6.4 s events happen.
//
// What a counter counts between two instants is Total(t2) - Total(t1): it
// depends on nothing but the seed, the rates and the instants, so a test can
// compute every count to the unit.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_REGISTERS_SIMULATED_EVENT_TOTAL_H_
#define PMU_SERVER_REGISTERS_SIMULATED_EVENT_TOTAL_H_

#include <cstdint>

namespace pmu::server {

// What all events of a simulated device share.
struct EventPattern {
  uint64_t seed = 1;
  int jitter_percent = 0;  // 0 to 90
};

// `key` tells events apart; `elapsed_ns` from power-on, not negative.
uint64_t EventTotal(const EventPattern& pattern, uint64_t key, uint64_t rate_hz,
                    int64_t elapsed_ns);

// A number in [low, high] fixed by seed and key, for default rates.
uint64_t SeededNumber(uint64_t seed, uint64_t key, uint64_t low, uint64_t high);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_SIMULATED_EVENT_TOTAL_H_
