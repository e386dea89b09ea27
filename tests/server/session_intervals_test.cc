// A session with an interval: its samples, its watchers, its end.
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/session.h"
#include "server/session_manager.h"
#include "tests/fakes/fake_backend.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_sampler.h"
#include "tests/fakes/fake_scheduler.h"
#include "tests/server/start_request.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kInterval = 100 * kMs;

class SessionIntervalsTest : public ::testing::Test {
 protected:
  SessionIntervalsTest() : manager_({&backend_}, Limits(), &scheduler_, &clock_) {
    backend_.AddEvent("cycles");
    manager_.SetSampler(&sampler_);
  }

  std::shared_ptr<Session> Arm(int64_t interval_ns = kInterval) {
    StartRequest request = RequestFor("cycles");
    request.spec.interval_ns = interval_ns;
    absl::StatusOr<StartedSession> started = manager_.Start(request);
    EXPECT_TRUE(started.ok()) << started.status();
    return started.ok() ? started->session : nullptr;
  }

  // Armed, and started `ahead` from now.
  std::shared_ptr<Session> Start(int64_t stop_after_ns = 0) {
    std::shared_ptr<Session> session = Arm();
    start_ns_ = clock_.MonotonicNs() + 10 * kMs;
    EXPECT_TRUE(
        session->Trigger(start_ns_, stop_after_ns == 0 ? 0 : start_ns_ + stop_after_ns).ok());
    scheduler_.Advance(10 * kMs);
    EXPECT_EQ(session->Status().state, SessionState::kRunning);
    return session;
  }

  static std::vector<IntervalHeader> Headers(const Session& session) {
    std::vector<IntervalHeader> headers;
    uint64_t lost = 0;
    session.ring()->Read(0, 1000, SampleRing::AtLoss::kGoOn, &lost,
                         [&](const IntervalHeader& header, absl::Span<const RawReading>) {
                           headers.push_back(header);
                         });
    return headers;
  }

  FakeClock clock_;
  FakeScheduler scheduler_{&clock_};
  FakeSampler sampler_{&clock_};
  FakeBackend backend_;
  int64_t start_ns_ = 0;
  SessionManager manager_;
};

TEST_F(SessionIntervalsTest, SamplesAreNumberedFromThePlannedStart) {
  auto session = Start();
  EXPECT_EQ(sampler_.next_ns(), start_ns_ + kInterval);

  sampler_.TakeNext();
  sampler_.TakeNext(30 * kMs);

  const std::vector<IntervalHeader> headers = Headers(*session);
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers[0].turn.number, 1u);
  EXPECT_FALSE(headers[0].turn.late);
  EXPECT_EQ(headers[1].turn.due_ns, start_ns_ + 2 * kInterval);
  EXPECT_EQ(headers[1].begin_ns, start_ns_ + 2 * kInterval + 30 * kMs);
  EXPECT_TRUE(headers[1].turn.late);
  EXPECT_EQ(sampler_.next_ns(), start_ns_ + 3 * kInterval);
}

TEST_F(SessionIntervalsTest, TheSampleAtThePlannedStopIsTheLastOne) {
  auto session = Start(2 * kInterval);
  sampler_.TakeNext();
  EXPECT_GE(sampler_.next_ns(), start_ns_ + 2 * kInterval);
  scheduler_.Advance(kInterval);

  const std::vector<IntervalHeader> headers = Headers(*session);
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers[1].turn.number, 2u);
  EXPECT_TRUE(headers[1].last);
  EXPECT_EQ(session->Status().state, SessionState::kStopped);
  sampler_.TakeNext();
  EXPECT_EQ(sampler_.next_ns(), 0);
  EXPECT_EQ(Headers(*session).size(), 2u);
}

TEST_F(SessionIntervalsTest, AnAgentHeldUpOverThePlannedStopTakesNoNumberBeyondIt) {
  auto session = Start(2 * kInterval);
  sampler_.TakeNext(kInterval + 20 * kMs);  // the sampler wakes before the scheduler
  scheduler_.Advance(0);

  const std::vector<IntervalHeader> headers = Headers(*session);
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers[0].turn.number, 1u);
  EXPECT_TRUE(headers[0].turn.late);
  EXPECT_EQ(headers[1].turn.number, 2u);
  EXPECT_TRUE(headers[1].last);
  EXPECT_EQ(headers[1].turn.due_ns, start_ns_ + 2 * kInterval);
}

TEST_F(SessionIntervalsTest, AnEarlyStopEndsWithAShorterInterval) {
  auto session = Start();
  sampler_.TakeNext();
  clock_.Advance(40 * kMs);
  session->Stop(0, [](const absl::Status&) {});

  const std::vector<IntervalHeader> headers = Headers(*session);
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_TRUE(headers[1].last);
  EXPECT_EQ(headers[1].turn.due_ns, start_ns_ + kInterval + 40 * kMs);
}

TEST_F(SessionIntervalsTest, WatchersAreWokenAndTheEndIsTold) {
  auto session = Start();
  std::vector<bool> woken;
  const auto watcher =
      session->AddWatcher([&](int64_t, bool ended) { woken.push_back(ended); }).value();

  sampler_.TakeNext();
  session->Stop(0, [](const absl::Status&) {});

  EXPECT_THAT(woken, ElementsAre(false, true));
  session->RemoveWatcher(watcher);
}

TEST_F(SessionIntervalsTest, AWatchedSessionKeepsItsLease) {
  auto session = Start();
  const auto watcher = session->AddWatcher([](int64_t, bool) {}).value();

  scheduler_.Advance(10 * kDefaultLeaseNs);
  EXPECT_EQ(session->Status().state, SessionState::kRunning);

  session->RemoveWatcher(watcher);
  scheduler_.Advance(2 * kDefaultLeaseNs);
  EXPECT_EQ(session->Status().state, SessionState::kExpired);
}

TEST_F(SessionIntervalsTest, NobodyWatchesWithoutAnIntervalNorInCrowds) {
  auto plain = Arm(0);
  EXPECT_TRUE(absl::IsFailedPrecondition(plain->AddWatcher([](int64_t, bool) {}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(plain->AlignIntervals(1, 0)));

  auto session = Arm();
  for (size_t i = 0; i < kMaxWatchers; ++i) {
    ASSERT_TRUE(session->AddWatcher([](int64_t, bool) {}).ok());
  }
  EXPECT_TRUE(absl::IsResourceExhausted(session->AddWatcher([](int64_t, bool) {}).status()));
}

TEST_F(SessionIntervalsTest, DeadlinesCanBeMoved) {
  auto session = Start();
  ASSERT_TRUE(session->AlignIntervals(2, start_ns_ + 2 * kInterval + 5 * kMs).ok());

  sampler_.TakeNext();  // too early now: nothing is taken
  EXPECT_THAT(Headers(*session), IsEmpty());
  EXPECT_EQ(sampler_.next_ns(), start_ns_ + kInterval + 5 * kMs);
  sampler_.TakeNext();
  EXPECT_FALSE(Headers(*session).at(0).turn.late);
}

TEST_F(SessionIntervalsTest, RingsHaveALimitOverAllSessions) {
  Limits limits;
  limits.max_ring_bytes = 64 * SampleRing::SampleBytes(2);
  limits.max_all_rings_bytes = limits.max_ring_bytes + 20 * SampleRing::SampleBytes(2);
  SessionManager manager({&backend_}, limits, &scheduler_, &clock_);
  manager.SetSampler(&sampler_);
  StartRequest request = RequestFor("cycles", "alice");
  request.spec.interval_ns = kMs;

  EXPECT_EQ(manager.Start(request)->session->ring()->capacity(), 64u);
  EXPECT_EQ(manager.Start(request)->session->ring()->capacity(), 20u);
  const absl::Status refused = manager.Start(request).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("held by \"alice\" (s-"));
}

}  // namespace
}  // namespace pmu::server
