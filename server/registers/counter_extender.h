// counter_extender.h: an N-bit hardware counter widened to 64 bits.
//
// The counter is polled; the difference of two polls is added up modulo its
// width. When the hardware has an overflow flag, the flag decides: a flag
// without a decrease is a wrap of a whole turn. What cannot be told apart is
// said: `overflow_suspected`.
#ifndef PMU_SERVER_REGISTERS_COUNTER_EXTENDER_H_
#define PMU_SERVER_REGISTERS_COUNTER_EXTENDER_H_

#include <cstdint>

#include "absl/numeric/int128.h"

namespace pmu::server {

// Thread-compatible: callers serialise.
class CounterExtender {
 public:
  // `width_bits`: 1 to 64. `max_rate_hz`: more increments a second than the
  // counter can make; with it a wrap that nobody could have seen is noticed.
  // 0: unknown, never suspect for that reason.
  CounterExtender(int width_bits, uint64_t max_rate_hz)
      : width_bits_(width_bits), max_rate_hz_(max_rate_hz) {}

  // Starts again from 0, with the counter now showing `register_data`.
  void Restart(uint64_t register_data, int64_t now_ns) {
    last_ = register_data & Mask();
    last_ns_ = now_ns;
    total_ = 0;
    suspected_ = false;
  }

  // The counter has been set to `register_data` by us; the total stays.
  void Rebase(uint64_t register_data, int64_t now_ns) {
    last_ = register_data & Mask();
    last_ns_ = now_ns;
  }

  // A poll of a counter without an overflow flag: at most one wrap since the
  // last poll is assumed.
  void Poll(uint64_t register_data, int64_t now_ns) {
    Add((register_data - last_) & Mask(), register_data, now_ns);
  }

  // A poll of a counter with an overflow flag. The caller reads the counter,
  // then the flag; when that is set it clears it and reads the counter again.
  // So whenever the wrap happens, it is counted in exactly one poll: before
  // the flag was read in this one, after it in the next.
  void PollWithFlag(uint64_t register_data, bool overflow_flag, int64_t now_ns) {
    const uint64_t masked = register_data & Mask();
    if (!overflow_flag) {
      // A decrease without a wrap: somebody else wrote the counter.
      if (masked < last_) suspected_ = true;
      Add((masked - last_) & Mask(), masked, now_ns);
      return;
    }
    // One wrap: turn - last + now, which is a whole turn and more when the
    // counter does not show a decrease.
    const uint64_t to_wrap = Mask() - last_ + 1;  // 0 stands for 2^64 at width 64.
    Add(to_wrap + masked, masked, now_ns);
  }

  uint64_t total() const { return total_; }

  // True from the first poll on that may have missed a wrap.
  bool overflow_suspected() const { return suspected_; }

 private:
  uint64_t Mask() const {
    return width_bits_ >= 64 ? ~uint64_t{0} : (uint64_t{1} << width_bits_) - 1;
  }

  void Add(uint64_t delta, uint64_t register_data, int64_t now_ns) {
    // Could the counter have made one more turn than seen?
    const absl::uint128 possible =
        absl::uint128(max_rate_hz_) *
        static_cast<uint64_t>(now_ns > last_ns_ ? now_ns - last_ns_ : 0) / 1'000'000'000u;
    const absl::uint128 one_more = absl::uint128(delta) + Mask() + 1;
    if (max_rate_hz_ != 0 && one_more <= possible) suspected_ = true;
    total_ += delta;
    last_ = register_data & Mask();
    last_ns_ = now_ns;
  }

  int width_bits_;
  uint64_t max_rate_hz_;
  uint64_t last_ = 0;
  int64_t last_ns_ = 0;
  uint64_t total_ = 0;
  bool suspected_ = false;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_COUNTER_EXTENDER_H_
