#include "server/sample_ring.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Put(SampleRing* ring, uint64_t number) {
  for (RawReading& reading : ring->NextReadings()) reading.raw_count = number;
  IntervalHeader header;
  header.turn.number = number;
  ring->Publish(header);
}

std::vector<uint64_t> Numbers(const SampleRing& ring, uint64_t from, uint64_t* lost,
                              size_t most = 100) {
  std::vector<uint64_t> numbers;
  ring.Read(from, most, SampleRing::AtLoss::kGoOn, lost,
            [&](const IntervalHeader& header, absl::Span<const RawReading> readings) {
              for (const RawReading& reading : readings) {
                EXPECT_EQ(reading.raw_count, header.turn.number);
              }
              numbers.push_back(header.turn.number);
            });
  return numbers;
}

TEST(SampleRing, HoldsTheLatest) {
  auto ring = SampleRing::Create(2, 3).value();
  EXPECT_EQ(ring->capacity(), 3u);
  uint64_t lost = 0;
  EXPECT_THAT(Numbers(*ring, 0, &lost), IsEmpty());
  EXPECT_EQ(ring->Available().latest, 0u);

  for (uint64_t number = 1; number <= 3; ++number) Put(ring.get(), number);
  EXPECT_THAT(Numbers(*ring, 0, &lost), ElementsAre(1, 2, 3));
  EXPECT_EQ(lost, 0u);

  Put(ring.get(), 4);
  EXPECT_THAT(Numbers(*ring, 1, &lost), ElementsAre(2, 3, 4));
  EXPECT_EQ(lost, 1u);
  EXPECT_EQ(ring->Available().oldest, 2u);
  EXPECT_EQ(ring->Available().latest, 4u);
}

TEST(SampleRing, ReadsFromANumberOnAndNoMoreThanAsked) {
  auto ring = SampleRing::Create(1, 8).value();
  for (const uint64_t number : {1, 2, 5, 6, 9}) Put(ring.get(), number);  // deadlines were missed
  uint64_t lost = 0;

  EXPECT_THAT(Numbers(*ring, 3, &lost), ElementsAre(5, 6, 9));
  EXPECT_THAT(Numbers(*ring, 2, &lost, 2), ElementsAre(2, 5));
  EXPECT_THAT(Numbers(*ring, 10, &lost), IsEmpty());
  EXPECT_EQ(lost, 0u);  // a hole in the numbers is no loss
}

TEST(SampleRing, StopsAtALossWhenAsked) {
  auto ring = SampleRing::Create(1, 2).value();
  for (uint64_t number = 1; number <= 5; ++number) Put(ring.get(), number);
  uint64_t lost = 0;

  const size_t read = ring->Read(2, 10, SampleRing::AtLoss::kStop, &lost,
                                 [](const IntervalHeader&, absl::Span<const RawReading>) {});

  EXPECT_EQ(read, 0u);
  EXPECT_EQ(lost, 3u);
}

TEST(SampleRing, AWriterThatMustNotWaitPublishesLater) {
  auto ring = SampleRing::Create(1, 100).value();
  uint64_t lost = 0;
  Put(ring.get(), 1);
  ring->Read(1, 1, SampleRing::AtLoss::kGoOn, &lost,
             [&](const IntervalHeader&, absl::Span<const RawReading>) {
               // Somebody reads now: this would wait for ever.
               std::thread writer([&] {
                 for (uint64_t number = 2; number <= 4; ++number) {
                   ring->NextReadings()[0].raw_count = number;
                   IntervalHeader header;
                   header.turn.number = number;
                   ring->Publish(header, SampleRing::Visible::kLater);
                 }
               });
               writer.join();
             });
  EXPECT_EQ(ring->Available().latest, 1u);

  Put(ring.get(), 5);

  EXPECT_THAT(Numbers(*ring, 0, &lost), ElementsAre(1, 2, 3, 4, 5));
}

// What a reader sees is whole, however fast the writer goes around; what it
// does not see is told as lost.
TEST(SampleRing, AReaderSeesWholeSamplesOrALoss) {
  auto ring = SampleRing::Create(4, 5).value();
  std::atomic<bool> over{false};
  constexpr uint64_t kLast = 20'000;
  std::thread writer([&] {
    for (uint64_t number = 1; number <= kLast; ++number) Put(ring.get(), number);
    over = true;
  });

  uint64_t next = 1;
  while (next <= kLast) {
    uint64_t lost = 0;
    const bool last_look = over;
    const std::vector<uint64_t> numbers = Numbers(*ring, next, &lost, 3);
    for (const uint64_t number : numbers) {
      EXPECT_TRUE(number == next || lost == number - 1);
      next = number + 1;
    }
    if (last_look && numbers.empty()) break;
  }
  writer.join();
  EXPECT_EQ(next, kLast + 1);
}

}  // namespace
}  // namespace pmu::server
