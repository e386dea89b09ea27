// counter_sum.h: adds counters that each were scaled by their own times.
//
// Counts are exact (128 bits) as long as all have the same unit scale. A sum
// remembers how many of how many counters are in it. Thread-compatible.
#ifndef PMU_CLIENT_COUNTER_SUM_H_
#define PMU_CLIENT_COUNTER_SUM_H_

#include <string>

#include "absl/numeric/int128.h"
#include "client/aggregate.h"
#include "client/result.h"

namespace pmu::client {

// The factor from count to unit. What an agent sends that is no positive finite
// number is taken as 1, for a count without unit.
double UsableScale(const pmu::v1::ResolvedEvent& event);
const std::string& UsableUnit(const pmu::v1::ResolvedEvent& event);
bool HasUsableScale(const pmu::v1::ResolvedEvent& event);

class CounterSum {
 public:
  // `measured_ns`: over which rates are formed.
  explicit CounterSum(int64_t measured_ns) : measured_ns_(measured_ns) {}

  void Add(const pmu::v1::ResolvedEvent& event, const CounterReading& reading);
  // A counter that need not be there: it never ran, and rightly so.
  void AddIdle(const std::string& reason) { idle_reason_ = reason; }
  // An event that has no counter on this host at all.
  void AddMissing(ReadingState state, const std::string& reason);

  // Everything added until now as one number, or the reason why there is none.
  Value Total() const;

  int contributing() const { return contributing_; }
  int expected() const { return expected_; }
  const std::string& idle_reason() const { return idle_reason_; }

 private:
  void AddNumber(const pmu::v1::ResolvedEvent& event, const CounterReading& reading,
                 absl::uint128 count);

  const int64_t measured_ns_;
  int contributing_ = 0;
  int expected_ = 0;
  absl::uint128 count_ = 0;
  double scale_ = 1;
  std::string unit_;
  bool same_scale_ = true;
  bool same_unit_ = true;
  bool gauge_ = false;
  double value_ = 0;
  absl::uint128 enabled_ns_ = 0;
  absl::uint128 running_ns_ = 0;
  ReadingState best_ = ReadingState::kCounted;  // of the numbers
  bool missing_ = false;
  ReadingState missing_state_ = ReadingState::kNotCounted;  // of the first
  std::string missing_reason_;
  std::string idle_reason_;
};

// The state of a number made of two: doubt about the size beats a lost part.
ReadingState WorseState(ReadingState a, ReadingState b);

}  // namespace pmu::client

#endif  // PMU_CLIENT_COUNTER_SUM_H_
