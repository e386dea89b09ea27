#include "client/intervals.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kInterval = 100;
constexpr int64_t kHostStart = 5000;
constexpr uint64_t kMost = 1000;

// A host with one event on one CPU.
HostResult OneEvent(const std::string& name,
                    pmu::v1::CounterKind kind = pmu::v1::COUNTER_KIND_DELTA) {
  HostResult host;
  host.host = name;
  EventResult event;
  event.event.set_supported(true);
  event.event.set_kind(kind);
  host.events.push_back(event);
  return host;
}

HostSeries Series(const HostResult& host) {
  return HostSeries(host, std::vector<pmu::v1::CounterSlot>(1), kInterval);
}

pmu::v1::IntervalSample Sample(uint64_t number, uint64_t count, uint64_t running_ns) {
  pmu::v1::IntervalSample sample;
  sample.set_number(number);
  sample.set_due_ns(kHostStart + static_cast<int64_t>(number) * kInterval);
  sample.mutable_sample()->set_begin_ns(sample.due_ns() + 1);
  sample.mutable_sample()->set_end_ns(sample.due_ns() + 3);
  sample.mutable_sample()->add_raw_count(count);
  sample.mutable_sample()->add_enabled_ns(number * kInterval);
  sample.mutable_sample()->add_running_ns(running_ns);
  sample.mutable_sample()->add_state(pmu::v1::READING_STATE_COUNTED);
  return sample;
}

const RawReading& ReadingOf(const HostResult& host) { return host.events[0].readings[0].reading; }

TEST(HostSeriesTest, GivesTheChangeOfEachInterval) {
  HostSeries series = Series(OneEvent("a"));

  const HostSeries::Step first = series.Take(Sample(1, 10, 100), kMost).value();
  const HostSeries::Step second = series.Take(Sample(2, 25, 150), kMost).value();

  EXPECT_EQ(ReadingOf(first.result).raw_count, 10u);
  EXPECT_EQ(first.result.measured_ns, kInterval + 2);
  EXPECT_EQ(first.end_ns, kInterval);
  EXPECT_EQ(ReadingOf(second.result).raw_count, 15u);
  EXPECT_EQ(ReadingOf(second.result).enabled_ns, 100u);
  EXPECT_EQ(ReadingOf(second.result).running_ns, 50u);
  EXPECT_EQ(second.result.measured_ns, kInterval);
  EXPECT_THAT(second.result.notes, IsEmpty());
}

TEST(HostSeriesTest, ACounterThatDidNotRunHasNoNumber) {
  HostSeries series = Series(OneEvent("a"));
  ASSERT_TRUE(series.Take(Sample(1, 10, 100), kMost).ok());

  const HostSeries::Step step = series.Take(Sample(2, 10, 100), kMost).value();

  EXPECT_EQ(ReadingOf(step.result).state, ReadingState::kNotCounted);
}

TEST(HostSeriesTest, AGaugeIsAState) {
  HostSeries series = Series(OneEvent("a", pmu::v1::COUNTER_KIND_GAUGE));
  ASSERT_TRUE(series.Take(Sample(1, 40, 100), kMost).ok());

  EXPECT_EQ(ReadingOf(series.Take(Sample(2, 38, 200), kMost)->result).raw_count, 38u);
}

TEST(HostSeriesTest, WhatWasLostInBetweenIsInTheNextAndSaid) {
  HostSeries series = Series(OneEvent("a"));
  ASSERT_TRUE(series.Take(Sample(1, 10, 100), kMost).ok());

  const HostSeries::Step step = series.Take(Sample(4, 70, 400), kMost).value();

  EXPECT_EQ(ReadingOf(step.result).raw_count, 60u);
  EXPECT_EQ(step.result.measured_ns, 3 * kInterval);
  ASSERT_THAT(step.result.notes, SizeIs(1));
  EXPECT_THAT(step.result.notes[0], HasSubstr("intervals 2 to 4 are one here"));
}

TEST(HostSeriesTest, NonsenseIsRefused) {
  HostSeries series = Series(OneEvent("a"));
  ASSERT_TRUE(series.Take(Sample(2, 10, 100), kMost).ok());
  EXPECT_FALSE(series.Take(Sample(2, 11, 110), kMost).ok());
  pmu::v1::IntervalSample empty;
  empty.set_number(3);
  EXPECT_FALSE(series.Take(empty, kMost).ok());
  // An interval of the far future, or times that no clock shows.
  EXPECT_FALSE(series.Take(Sample(kMost + 1, 3, 400), kMost).ok());
  pmu::v1::IntervalSample timeless = Sample(4, 3, 400);
  timeless.set_due_ns(INT64_MIN);
  EXPECT_FALSE(series.Take(timeless, kMost).ok());
  timeless = Sample(4, 3, 400);
  timeless.mutable_sample()->set_end_ns(INT64_MAX);
  EXPECT_FALSE(series.Take(timeless, kMost).ok());
  // A count that falls is no number.
  EXPECT_EQ(ReadingOf(series.Take(Sample(4, 3, 400), kMost)->result).state,
            ReadingState::kNotCounted);
}

class IntervalAssemblerTest : public ::testing::Test {
 protected:
  IntervalAssemblerTest() {
    // Before the assembler, which counts the hosts.
    result_.requested_events = {"e"};
    for (const char* name : {"a", "b"}) {
      result_.hosts.push_back(OneEvent(name));
      series_.push_back(Series(result_.hosts.back()));
    }
    assembler_.emplace(&result_, kInterval,
                       [this](const Interval& interval) { told_.push_back(interval); });
  }

  void Add(size_t host, uint64_t number) {
    assembler_->Add(host,
                    series_[host].Take(Sample(number, number * 10, number * 100), kMost).value());
  }
  // Which hosts of a told interval have numbers: "a", "ab".
  static std::string Having(const Interval& interval) {
    std::string having;
    for (const HostResult& host : interval.result.hosts) {
      if (host.status.ok()) having += host.host;
    }
    return having;
  }

  MeasurementResult result_;
  std::vector<HostSeries> series_;
  std::vector<Interval> told_;
  absl::optional<IntervalAssembler> assembler_;
};

TEST_F(IntervalAssemblerTest, WaitsForEveryHost) {
  Add(0, 1);
  Add(0, 2);
  EXPECT_THAT(told_, IsEmpty());
  Add(1, 1);

  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].number, 1u);
  EXPECT_EQ(told_[0].begin_ns, 0);
  EXPECT_EQ(told_[0].end_ns, kInterval);
  EXPECT_EQ(Having(told_[0]), "ab");
  EXPECT_EQ(ReadingOf(told_[0].result.hosts[1]).raw_count, 10u);
}

TEST_F(IntervalAssemblerTest, AHostThatHasEndedIsNotWaitedFor) {
  Add(0, 1);
  result_.hosts[1].status = absl::UnavailableError("lost");
  assembler_->End(1);

  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(Having(told_[0]), "a");
  EXPECT_EQ(told_[0].result.hosts[1].status.message(), "lost");
}

TEST_F(IntervalAssemblerTest, WhatComesAfterTheWaitIsToldThen) {
  Add(0, 1);
  assembler_->GiveUp(1);
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(Having(told_[0]), "a");
  EXPECT_THAT(std::string(told_[0].result.hosts[1].status.message()), HasSubstr("late"));

  Add(1, 1);

  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_TRUE(told_[1].late);
  EXPECT_EQ(told_[1].number, 1u);
  EXPECT_EQ(Having(told_[1]), "b");
}

TEST_F(IntervalAssemblerTest, AHostThatMissedANumberIsNotWaitedForEither) {
  Add(0, 1);
  Add(1, 1);
  Add(0, 2);
  Add(1, 3);
  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_EQ(Having(told_[1]), "a");
  EXPECT_THAT(std::string(told_[1].result.hosts[1].status.message()),
              HasSubstr("see the next interval"));
}

TEST_F(IntervalAssemblerTest, TheEndTellsTheRestAndNumbersHaveNoHoles) {
  Add(0, 3);
  assembler_->Finish();

  ASSERT_THAT(told_, SizeIs(3));
  EXPECT_EQ(Having(told_[0]), "");
  EXPECT_EQ(told_[2].number, 3u);
  EXPECT_EQ(Having(told_[2]), "a");
}

}  // namespace
}  // namespace pmu::client
