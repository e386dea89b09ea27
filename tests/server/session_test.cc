// The states of one session, through its manager.
#include "server/session.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/session_manager.h"
#include "tests/fakes/fake_backend.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_scheduler.h"
#include "tests/server/start_request.h"

namespace pmu::server {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : manager_({&backend_}, Limits(), &scheduler_, &clock_) {
    backend_.AddEvent("cycles");
    backend_.AddEvent("instructions");
  }

  std::shared_ptr<Session> Start(const std::string& events = "cycles", bool start_now = false) {
    StartRequest request = RequestFor(events);
    request.start_now = start_now;
    absl::StatusOr<StartedSession> started = manager_.Start(request);
    EXPECT_TRUE(started.ok()) << started.status();
    return started.ok() ? started->session : nullptr;
  }

  int64_t Now() const { return clock_.MonotonicNs(); }

  static Sample ReadOf(Session& session) {
    Sample copy;
    session.Read([&](const Sample& sample, SessionState) { copy = sample; });
    return copy;
  }

  // A Stop whose answer is noted in answers_.
  Session::WaiterId Stop(Session& session, int64_t at_ns) {
    return session.Stop(at_ns, [this](const absl::Status& status) { answers_.push_back(status); });
  }

  FakeClock clock_;
  FakeScheduler scheduler_{&clock_};
  FakeBackend backend_;
  std::vector<absl::Status> answers_;
  SessionManager manager_;
};

TEST_F(SessionTest, ArmedCountsNothingAndTouchesNoCounter) {
  auto session = Start();

  const Sample sample = ReadOf(*session);

  EXPECT_EQ(session->Status().state, SessionState::kArmed);
  EXPECT_EQ(session->Status().descriptors, 2);
  EXPECT_EQ(sample.sequence, 1u);
  EXPECT_THAT(sample.readings, Each(Field(&RawReading::state, ReadingState::kNotCounted)));
  EXPECT_THAT(backend_.log(), ElementsAre("open 1"));
}

TEST_F(SessionTest, APlannedStartEnablesAtItsTimeAndSaysSo) {
  auto session = Start();
  const int64_t start = Now() + 3 * kSecond;

  ASSERT_TRUE(session->Trigger(start, 0).ok());
  scheduler_.Advance(3 * kSecond - 1);
  EXPECT_EQ(session->Status().state, SessionState::kArmed);
  scheduler_.Advance(1);

  const SessionStatus status = session->Status();
  EXPECT_EQ(status.state, SessionState::kRunning);
  EXPECT_EQ(status.timing.planned_start_ns, start);
  EXPECT_EQ(status.timing.enable_begin_ns, start);
  EXPECT_EQ(status.timing.disable_begin_ns, 0);
}

TEST_F(SessionTest, ReadingsOfARunningSessionAreCounted) {
  auto session = Start("cycles", true);

  ReadOf(*session);
  const Sample sample = ReadOf(*session);

  EXPECT_EQ(sample.sequence, 2u);
  ASSERT_EQ(sample.readings.size(), 2u);
  EXPECT_EQ(sample.readings[0].raw_count, 200u);
  EXPECT_EQ(sample.readings[1].raw_count, 201u);
  EXPECT_EQ(sample.readings[0].state, ReadingState::kCounted);
}

TEST_F(SessionTest, ReadsOnceAfterDisablingAndClosesThen) {
  auto session = Start();
  ASSERT_TRUE(session->Trigger(0, Now() + kSecond).ok());

  scheduler_.Advance(kSecond);

  EXPECT_THAT(backend_.log(), ElementsAre("open 1", "enable", "disable", "read", "close"));
  EXPECT_EQ(session->Status().state, SessionState::kStopped);
  EXPECT_EQ(session->Status().descriptors, 0);
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionTest, AStoppedSessionAnswersWithItsLastSample) {
  auto session = Start("cycles", true);
  Stop(*session, 0);
  const Sample last = ReadOf(*session);

  scheduler_.Advance(kSecond);
  const Sample again = ReadOf(*session);

  EXPECT_EQ(again.sequence, last.sequence);
  EXPECT_EQ(again.end_ns, last.end_ns);
  EXPECT_EQ(again.readings[0].raw_count, 100u);
}

TEST_F(SessionTest, StopTwiceAnswersTwice) {
  auto session = Start("cycles", true);

  EXPECT_EQ(Stop(*session, 0), 0u);
  EXPECT_EQ(Stop(*session, 0), 0u);
  EXPECT_EQ(Stop(*session, Now() + kSecond), 0u);

  EXPECT_THAT(answers_, ElementsAre(absl::OkStatus(), absl::OkStatus(), absl::OkStatus()));
  EXPECT_EQ(ReadOf(*session).sequence, 1u);
}

TEST_F(SessionTest, StopBeforeStartEndsASessionThatNeverCounted) {
  auto session = Start();
  ASSERT_TRUE(session->Trigger(Now() + 2 * kSecond, 0).ok());

  Stop(*session, 0);
  scheduler_.Advance(5 * kSecond);

  EXPECT_EQ(session->Status().state, SessionState::kStopped);
  EXPECT_EQ(session->Status().timing.enable_begin_ns, 0);
  EXPECT_THAT(ReadOf(*session).readings,
              Each(Field(&RawReading::state, ReadingState::kNotCounted)));
  EXPECT_THAT(backend_.log(), ElementsAre("open 1", "close"));
}

TEST_F(SessionTest, AFutureStopAnswersWhenItHasHappened) {
  auto session = Start("cycles", true);

  EXPECT_NE(Stop(*session, Now() + kSecond), 0u);
  EXPECT_TRUE(answers_.empty());
  scheduler_.Advance(kSecond);

  EXPECT_THAT(answers_, ElementsAre(absl::OkStatus()));
  EXPECT_EQ(session->Status().timing.disable_begin_ns, session->Status().timing.planned_stop_ns);
}

TEST_F(SessionTest, TheLastPlannedStopCounts) {
  auto session = Start();
  ASSERT_TRUE(session->Trigger(0, Now() + kSecond).ok());

  Stop(*session, Now() + 2 * kSecond);
  scheduler_.Advance(kSecond);
  EXPECT_EQ(session->Status().state, SessionState::kRunning);
  scheduler_.Advance(kSecond);

  EXPECT_EQ(session->Status().state, SessionState::kStopped);
}

TEST_F(SessionTest, StopNowOvertakesAPlannedStop) {
  auto session = Start("cycles", true);
  Stop(*session, Now() + 10 * kSecond);

  Stop(*session, -1);

  EXPECT_EQ(answers_.size(), 2u);
  EXPECT_EQ(session->Status().state, SessionState::kStopped);
}

TEST_F(SessionTest, AnAbandonedStopStaysPlannedButDoesNotAnswer) {
  auto session = Start("cycles", true);
  const Session::WaiterId waiter = Stop(*session, Now() + kSecond);

  EXPECT_TRUE(session->AbandonStop(waiter));
  EXPECT_FALSE(session->AbandonStop(waiter));
  scheduler_.Advance(kSecond);

  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(session->Status().state, SessionState::kStopped);
}

TEST_F(SessionTest, OnlySoManyStopsMayWait) {
  auto session = Start("cycles", true);
  for (size_t i = 0; i < kMaxStopWaiters; ++i) Stop(*session, Now() + kSecond);
  ASSERT_TRUE(answers_.empty());

  Stop(*session, Now() + kSecond);

  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(SessionTest, TriggerTwiceIsRefusedUnlessItIsTheSameCall) {
  auto session = Start();
  const int64_t start = Now() + kSecond;
  ASSERT_TRUE(session->Trigger(start, start + kSecond).ok());

  EXPECT_TRUE(session->Trigger(start, start + kSecond).ok());
  EXPECT_EQ(session->Trigger(start + 1, start + kSecond).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(session->Trigger(start, 0).code(), absl::StatusCode::kFailedPrecondition);
  scheduler_.Advance(kSecond);
  EXPECT_TRUE(session->Trigger(start, start + kSecond).ok()) << "its first answer was lost";
  EXPECT_EQ(session->Trigger(0, 0).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SessionTest, TriggerRefusesImpossibleTimes) {
  auto session = Start();

  EXPECT_EQ(session->Trigger(Now(), 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session->Trigger(-5, 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session->Trigger(INT64_MIN, 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session->Trigger(INT64_MAX, 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session->Trigger(Now() + kMaxStartAheadNs + 1, 0).code(),
            absl::StatusCode::kOutOfRange);
  const int64_t start = Now() + kSecond;
  EXPECT_EQ(session->Trigger(start, start).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(session->Trigger(0, INT64_MIN).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(session->Trigger(start, INT64_MAX).ok()) << "none of them left a plan behind";
}

TEST_F(SessionTest, AMissedStartStillStartsAndTimingTellsWhen) {
  auto session = Start();
  const int64_t start = Now() + kSecond;
  ASSERT_TRUE(session->Trigger(start, 0).ok());

  clock_.Advance(4 * kSecond);  // the agent was stalled
  scheduler_.Advance(0);

  EXPECT_EQ(session->Status().state, SessionState::kRunning);
  EXPECT_EQ(session->Status().timing.enable_begin_ns, start + 3 * kSecond);
}

TEST_F(SessionTest, AnErrorOfEnablingFailsTheSessionAndFreesIt) {
  auto session = Start();
  backend_.set_enable_error(absl::InternalError("ioctl ENABLE: EIO"));

  const absl::Status status = session->Trigger(0, 0);

  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ioctl ENABLE"));
  EXPECT_EQ(session->Status().state, SessionState::kFailed);
  EXPECT_THAT(session->Status().failure, HasSubstr("ioctl ENABLE"));
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionTest, AnErrorOfDisablingIsAFailureWithASample) {
  auto session = Start("cycles", true);
  backend_.set_disable_error(absl::InternalError("ioctl DISABLE: EIO"));

  Stop(*session, 0);

  EXPECT_EQ(session->Status().state, SessionState::kFailed);
  EXPECT_THAT(session->Status().failure, HasSubstr("ioctl DISABLE"));
  EXPECT_EQ(ReadOf(*session).readings[0].raw_count, 100u);
}

TEST_F(SessionTest, TheLeaseEndsASessionThatNobodyNames) {
  auto session = Start("cycles", true);

  scheduler_.Advance(kDefaultLeaseNs - 1);
  EXPECT_EQ(session->Status().state, SessionState::kRunning);
  scheduler_.Advance(1);

  EXPECT_EQ(session->Status().state, SessionState::kExpired);
  EXPECT_EQ(backend_.open_sets(), 0);
  EXPECT_EQ(ReadOf(*session).readings[0].state, ReadingState::kCounted) << "what was counted stays";
}

TEST_F(SessionTest, EveryCallRenewsTheLease) {
  auto session = Start();
  const int64_t most = kDefaultLeaseNs - 1;

  scheduler_.Advance(most);
  ReadOf(*session);
  scheduler_.Advance(most);
  EXPECT_EQ(session->Renew().value(), Now() + kDefaultLeaseNs);
  scheduler_.Advance(most);
  ASSERT_TRUE(session->Trigger(0, 0).ok());
  scheduler_.Advance(most);

  EXPECT_EQ(session->Status().state, SessionState::kRunning);
}

TEST_F(SessionTest, AWaitingStopKeepsTheLeaseAliveUntilItIsAbandoned) {
  auto session = Start("cycles", true);
  const Session::WaiterId waiter = Stop(*session, Now() + 1000 * kSecond);

  scheduler_.Advance(3 * kDefaultLeaseNs);
  EXPECT_EQ(session->Status().state, SessionState::kRunning);
  session->AbandonStop(waiter);
  scheduler_.Advance(2 * kDefaultLeaseNs);

  EXPECT_EQ(session->Status().state, SessionState::kExpired);
}

TEST_F(SessionTest, AnEndedSessionCannotBeRenewed) {
  auto session = Start();
  Stop(*session, 0);

  EXPECT_EQ(session->Renew().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SessionTest, TheEndOfTheAgentAnswersWaitingStops) {
  auto session = Start("cycles", true);
  Stop(*session, Now() + kSecond);

  manager_.Shutdown();

  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(session->Status().state, SessionState::kFailed);
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionTest, NothingStaysPlannedForAnEndedSessionButForgettingIt) {
  auto session = Start();
  ASSERT_TRUE(session->Trigger(Now() + kSecond, Now() + 2 * kSecond).ok());
  EXPECT_EQ(scheduler_.planned(), 3u);

  Stop(*session, 0);

  EXPECT_EQ(scheduler_.planned(), 1u);
}

}  // namespace
}  // namespace pmu::server
