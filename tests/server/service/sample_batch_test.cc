#include "server/service/sample_batch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

constexpr int64_t kMs = 1'000'000;

class SampleBatchTest : public ::testing::Test {
 protected:
  void Put(int count) {
    for (int i = 0; i < count; ++i) {
      ring_->NextReadings();
      IntervalHeader header;
      header.turn.number = ++last_;
      ring_->Publish(header);
    }
  }
  SampleBatch BatchFrom(uint64_t number, int64_t max_delay_ns = 0) {
    pmu::v1::WatchRequest request;
    request.set_from_number(number);
    request.set_max_delay_ns(max_delay_ns);
    return SampleBatch(ring_.get(), 1, kMs, request);
  }

  uint64_t last_ = 0;
  std::unique_ptr<SampleRing> ring_ = SampleRing::Create(1, 20).value();
};

TEST_F(SampleBatchTest, SendsWhatIsNewAndNothingTwice) {
  SampleBatch batch = BatchFrom(0);
  Put(3);
  pmu::v1::WatchResponse first;
  EXPECT_FALSE(batch.Fill(&first));
  EXPECT_EQ(first.samples_size(), 3);
  EXPECT_FALSE(first.has_gap());

  Put(2);
  EXPECT_TRUE(batch.HasMore());
  pmu::v1::WatchResponse second;
  batch.Fill(&second);
  ASSERT_EQ(second.samples_size(), 2);
  EXPECT_EQ(second.samples(0).number(), 4u);
}

TEST_F(SampleBatchTest, SaysWhatWasOverwritten) {
  SampleBatch batch = BatchFrom(1);
  Put(50);
  pmu::v1::WatchResponse response;
  batch.Fill(&response);

  EXPECT_EQ(response.gap().first_number(), 1u);
  EXPECT_EQ(response.gap().last_number(), 30u);
  EXPECT_EQ(response.samples(0).number(), 31u);
  EXPECT_EQ(response.samples_size(), 20);
}

TEST_F(SampleBatchTest, ResumesAtANumber) {
  Put(10);
  SampleBatch batch = BatchFrom(8);
  pmu::v1::WatchResponse response;
  batch.Fill(&response);

  EXPECT_EQ(response.samples_size(), 3);
  EXPECT_FALSE(response.has_gap());
}

TEST_F(SampleBatchTest, HoldsSamplesBackNoLongerThanAllowed) {
  const SampleBatch batch = BatchFrom(0, 10 * kMs);
  EXPECT_FALSE(batch.WorthSending(9, 0, 9 * kMs));
  // The next sample, a millisecond later, would come too late for the first.
  EXPECT_TRUE(batch.WorthSending(10, 0, 9 * kMs + 1));
  EXPECT_TRUE(BatchFrom(0).WorthSending(1, 0, 0));
}

}  // namespace
}  // namespace pmu::server
