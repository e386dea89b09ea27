#include "client/session_answers.h"

#include <gtest/gtest.h>

namespace pmu::client {
namespace {

pmu::v1::StartSessionResponse TwoEventsThreeSlots() {
  pmu::v1::StartSessionResponse answer;
  answer.add_events()->set_text("a");
  answer.add_events()->set_text("b");
  for (int event : {0, 1, 1}) {
    pmu::v1::CounterSlot* slot = answer.add_slots();
    slot->set_event(event);
    slot->set_cpu(answer.slots_size() - 1);
  }
  return answer;
}

pmu::v1::Sample SampleOf(int readings) {
  pmu::v1::Sample sample;
  for (int i = 0; i < readings; ++i) {
    sample.add_raw_count(100 + i);
    sample.add_enabled_ns(10);
    sample.add_running_ns(5);
    sample.add_state(pmu::v1::READING_STATE_COUNTED);
  }
  return sample;
}

TEST(SessionAnswersTest, ReadingsGoToTheirEvents) {
  const pmu::v1::StartSessionResponse answer = TwoEventsThreeSlots();
  HostResult host;

  ASSERT_TRUE(TakeEvents(answer, &host).ok());
  ASSERT_TRUE(
      TakeReadings({answer.slots().begin(), answer.slots().end()}, SampleOf(3), &host).ok());

  ASSERT_EQ(host.events.size(), 2u);
  ASSERT_EQ(host.events[1].readings.size(), 2u);
  EXPECT_EQ(host.events[1].readings[1].cpu, 2);
  EXPECT_EQ(host.events[1].readings[1].reading.raw_count, 102u);
  EXPECT_EQ(host.events[1].readings[1].reading.state, ReadingState::kCounted);
}

TEST(SessionAnswersTest, ASlotOfNoEventIsRefused) {
  pmu::v1::StartSessionResponse answer = TwoEventsThreeSlots();
  answer.mutable_slots(0)->set_event(2);
  HostResult host;

  EXPECT_EQ(TakeEvents(answer, &host).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(TakeEvents({}, &host).code(), absl::StatusCode::kInternal);
}

TEST(SessionAnswersTest, ASampleOfAnotherSizeIsRefused) {
  const pmu::v1::StartSessionResponse answer = TwoEventsThreeSlots();
  HostResult host;
  ASSERT_TRUE(TakeEvents(answer, &host).ok());
  const std::vector<pmu::v1::CounterSlot> slots(answer.slots().begin(), answer.slots().end());
  pmu::v1::Sample ragged = SampleOf(3);
  ragged.mutable_running_ns()->RemoveLast();

  EXPECT_EQ(TakeReadings(slots, SampleOf(2), &host).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(TakeReadings(slots, ragged, &host).code(), absl::StatusCode::kInternal);
}

TEST(SessionAnswersTest, TimeStampCounterCyclesAreOptional) {
  const pmu::v1::StartSessionResponse answer = TwoEventsThreeSlots();
  HostResult host;
  ASSERT_TRUE(TakeEvents(answer, &host).ok());
  const std::vector<pmu::v1::CounterSlot> slots(answer.slots().begin(), answer.slots().end());
  pmu::v1::Sample sample = SampleOf(3);

  ASSERT_TRUE(TakeReadings(slots, sample, &host).ok());
  EXPECT_EQ(host.events[1].readings[1].reading.tsc_cycles, 0u);

  for (uint64_t cycles : {7u, 8u, 9u}) sample.add_tsc_cycles(cycles);
  ASSERT_TRUE(TakeReadings(slots, sample, &host).ok());
  EXPECT_EQ(host.events[1].readings[1].reading.tsc_cycles, 9u);
}

TEST(SessionAnswersTest, AnUnknownStateIsNoNumber) {
  const pmu::v1::StartSessionResponse answer = TwoEventsThreeSlots();
  HostResult host;
  ASSERT_TRUE(TakeEvents(answer, &host).ok());
  pmu::v1::Sample sample = SampleOf(3);
  sample.set_state(0, static_cast<pmu::v1::ReadingState>(77));

  ASSERT_TRUE(TakeReadings({answer.slots().begin(), answer.slots().end()}, sample, &host).ok());

  EXPECT_EQ(host.events[0].readings[0].reading.state, ReadingState::kNotCounted);
}

}  // namespace
}  // namespace pmu::client
