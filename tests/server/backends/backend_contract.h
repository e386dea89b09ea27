// backend_contract.h: what every CounterBackend must do. Tests only.
//
// A typed suite: a backend's test gives a Fixture and instantiates the suite
// with it.
//
//   struct MyFixture {
//     // The backend, and a target it can count.
//     CounterBackend& backend();
//     CounterTarget target();
//     // Events that count during Work(), a group among them: "a,{a,b}".
//     std::string events();
//     // Lets time pass, with something to count.
//     void Work();
//     // Descriptors or registers that are held now.
//     size_t resources_held();
//     // Only of a backend that reads what runs anyway, so that nothing is held.
//     static constexpr bool kHoldsNothing = true;
//     // Only where some slots may have nothing to count during Work().
//     bool Works(const CounterSlot& slot);
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(My, BackendContract, MyFixture);
#ifndef PMU_TESTS_SERVER_BACKENDS_BACKEND_CONTRACT_H_
#define PMU_TESTS_SERVER_BACKENDS_BACKEND_CONTRACT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/backends/counter_backend.h"

namespace pmu::server {

template <typename Fixture>
class BackendContract : public testing::Test {
 protected:
  std::vector<ResolvedEvent> ResolveAll() {
    const std::vector<EventSpec> specs = ParseEventList(fixture_.events()).value();
    std::vector<ResolvedEvent> all;
    for (const EventSpec& spec : specs) {
      const absl::StatusOr<std::vector<ResolvedEvent>> events =
          fixture_.backend().Resolve(spec, fixture_.target());
      EXPECT_TRUE(events.ok()) << events.status();
      if (events.ok()) all.insert(all.end(), events->begin(), events->end());
    }
    return all;
  }

  std::unique_ptr<CounterSet> OpenAll() {
    absl::StatusOr<std::unique_ptr<CounterSet>> set =
        fixture_.backend().Open(ResolveAll(), fixture_.target());
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
  }

  static std::vector<RawReading> ReadAll(CounterSet& set) {
    std::vector<RawReading> readings(set.slots().size());
    set.Read(absl::MakeSpan(readings));
    return readings;
  }

  bool Works(const CounterSlot& slot) {
    if constexpr (requires { fixture_.Works(slot); }) return fixture_.Works(slot);
    return true;
  }

  Fixture fixture_;
};

TYPED_TEST_SUITE_P(BackendContract);

TYPED_TEST_P(BackendContract, EveryEventHasASlotAndSlotsStay) {
  const std::vector<ResolvedEvent> events = this->ResolveAll();
  const std::unique_ptr<CounterSet> set = this->OpenAll();
  std::vector<bool> seen(events.size(), false);
  for (const CounterSlot& slot : set->slots()) {
    ASSERT_GE(slot.event, 0);
    ASSERT_LT(static_cast<size_t>(slot.event), events.size());
    EXPECT_TRUE(slot.status.ok()) << slot.status;
    seen[static_cast<size_t>(slot.event)] = true;
  }
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i]) << "no slot for event " << i;
  const size_t slots_at_first = set->slots().size();

  ASSERT_TRUE(set->Enable().ok());
  this->fixture_.Work();
  this->ReadAll(*set);
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_EQ(set->slots().size(), slots_at_first);
}

TYPED_TEST_P(BackendContract, ReadBeforeEnableIsNotCounted) {
  const std::unique_ptr<CounterSet> set = this->OpenAll();

  this->fixture_.Work();

  for (const RawReading& reading : this->ReadAll(*set)) {
    EXPECT_EQ(reading.state, ReadingState::kNotCounted);
    EXPECT_EQ(reading.raw_count, 0u);
    EXPECT_EQ(reading.running_ns, 0u);
  }
}

TYPED_TEST_P(BackendContract, CountsAndTimesNeverFall) {
  const std::unique_ptr<CounterSet> set = this->OpenAll();
  ASSERT_TRUE(set->Enable().ok());
  std::vector<RawReading> before = this->ReadAll(*set);

  for (int round = 0; round < 5; ++round) {
    this->fixture_.Work();
    const std::vector<RawReading> now = this->ReadAll(*set);
    for (size_t i = 0; i < now.size(); ++i) {
      EXPECT_GE(now[i].raw_count, before[i].raw_count);
      if (!this->Works(set->slots()[i])) continue;
      EXPECT_GT(now[i].enabled_ns, before[i].enabled_ns);
      EXPECT_GE(now[i].running_ns, before[i].running_ns);
      EXPECT_EQ(now[i].state, ReadingState::kCounted);
    }
    before = now;
  }
}

TYPED_TEST_P(BackendContract, NothingMovesAfterDisable) {
  const std::unique_ptr<CounterSet> set = this->OpenAll();
  ASSERT_TRUE(set->Enable().ok());
  this->fixture_.Work();
  ASSERT_TRUE(set->Disable().ok());
  const std::vector<RawReading> first = this->ReadAll(*set);

  this->fixture_.Work();

  const std::vector<RawReading> second = this->ReadAll(*set);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].raw_count, second[i].raw_count);
    EXPECT_EQ(first[i].enabled_ns, second[i].enabled_ns);
    if (!this->Works(set->slots()[i])) continue;
    EXPECT_EQ(second[i].state, ReadingState::kCounted);
  }
}

TYPED_TEST_P(BackendContract, DestructionGivesEverythingBack) {
  const size_t held_before = this->fixture_.resources_held();
  {
    const std::unique_ptr<CounterSet> set = this->OpenAll();
    ASSERT_TRUE(set->Enable().ok());
    if constexpr (!requires { TypeParam::kHoldsNothing; }) {
      EXPECT_GT(this->fixture_.resources_held(), held_before);
    }
  }

  EXPECT_EQ(this->fixture_.resources_held(), held_before);
}

TYPED_TEST_P(BackendContract, TwoSetsCountEachForItself) {
  const std::unique_ptr<CounterSet> first = this->OpenAll();
  const std::unique_ptr<CounterSet> second = this->OpenAll();
  ASSERT_TRUE(first->Enable().ok());
  this->fixture_.Work();
  if (!second->slots()[0].status.ok()) {
    // Hardware for one at a time: it says so, and the first goes on.
    EXPECT_TRUE(absl::IsResourceExhausted(second->slots()[0].status));
    EXPECT_EQ(this->ReadAll(*second)[0].state, ReadingState::kNotSupported);
    EXPECT_EQ(this->ReadAll(*first)[0].state, ReadingState::kCounted);
    return;
  }

  const std::vector<RawReading> of_first = this->ReadAll(*first);
  const std::vector<RawReading> of_second = this->ReadAll(*second);

  EXPECT_EQ(of_first[0].state, ReadingState::kCounted);
  EXPECT_EQ(of_second[0].state, ReadingState::kNotCounted);
}

TYPED_TEST_P(BackendContract, ListsWhatItResolves) {
  const std::vector<CounterInfo> counters = this->fixture_.backend().ListCounters();

  ASSERT_FALSE(counters.empty());
  for (const CounterInfo& counter : counters) {
    EXPECT_FALSE(counter.name.empty());
    EXPECT_GT(counter.scale, 0) << counter.name;
    if (!counter.availability.ok()) {
      EXPECT_FALSE(counter.availability.message().empty()) << counter.name;
    }
  }
}

TYPED_TEST_P(BackendContract, UnknownNameIsNotFound) {
  const EventSpec spec = ParseEventList("no-such-counter-anywhere").value().front();

  const auto events = this->fixture_.backend().Resolve(spec, this->fixture_.target());

  EXPECT_TRUE(absl::IsNotFound(events.status())) << events.status();
}

REGISTER_TYPED_TEST_SUITE_P(BackendContract, EveryEventHasASlotAndSlotsStay,
                            ReadBeforeEnableIsNotCounted, CountsAndTimesNeverFall,
                            NothingMovesAfterDisable, DestructionGivesEverythingBack,
                            TwoSetsCountEachForItself, ListsWhatItResolves, UnknownNameIsNotFound);

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_BACKENDS_BACKEND_CONTRACT_H_
