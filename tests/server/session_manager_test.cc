#include "server/session_manager.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_backend.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_scheduler.h"
#include "tests/server/start_request.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class SessionManagerTest : public ::testing::Test {
 protected:
  SessionManagerTest() {
    backend_.AddEvent("cycles");
    backend_.AddEvent("branches");
    other_.AddEvent("si_rrq", {0});
    Limits limits;
    limits.max_sessions = 3;
    limits.max_descriptors = 8;
    manager_ = std::make_unique<SessionManager>(std::vector<CounterBackend*>{&backend_, &other_},
                                                limits, &scheduler_, &clock_);
  }

  absl::StatusOr<std::shared_ptr<Session>> Start(const StartRequest& request) {
    absl::StatusOr<StartedSession> started = manager_->Start(request);
    if (!started.ok()) return started.status();
    return started->session;
  }

  void Stop(const std::shared_ptr<Session>& session) {
    session->Stop(0, [](const absl::Status&) {});
  }

  static std::string Message(const absl::Status& status) { return std::string(status.message()); }

  FakeClock clock_;
  FakeScheduler scheduler_{&clock_};
  FakeBackend backend_{"first"};
  FakeBackend other_{"second"};
  std::unique_ptr<SessionManager> manager_;
};

TEST_F(SessionManagerTest, IdsAreRandomAndFindTheirSession) {
  const auto session = Start(RequestFor("cycles")).value();

  EXPECT_THAT(session->id(), MatchesRegex("s-[0-9a-f]{16}"));
  EXPECT_EQ(manager_->Find(session->id()).value(), session);
  EXPECT_NE(Start(RequestFor("cycles")).value()->id(), session->id());
  EXPECT_EQ(manager_->Find("s-0").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(manager_->Find("").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SessionManagerTest, SlotsOfSeveralBackendsFormOneRow) {
  const auto session = Start(RequestFor("si_rrq,cycles")).value();

  ASSERT_EQ(session->slots().size(), 3u);
  EXPECT_EQ(session->plan()[0].backend_name, "second");
  EXPECT_EQ(session->plan()[1].backend_name, "first");
  // In the order of the backends, with the indices of the plan.
  EXPECT_EQ(session->slots()[0].event, 1);
  EXPECT_EQ(session->slots()[2].event, 0);
}

TEST_F(SessionManagerTest, AnEventThatCannotBeCountedTakesNoOtherDown) {
  backend_.AddBroken("mem-loads", absl::UnimplementedError("no PEBS here"));
  backend_.AddUnopenable("bus-cycles", absl::PermissionDeniedError("perf_event_paranoid is 4"));

  const auto session = Start(RequestFor("cycles,mem-loads,cyclez,bus-cycles")).value();

  ASSERT_EQ(session->plan().size(), 4u);
  EXPECT_TRUE(session->plan()[0].support.ok());
  EXPECT_THAT(Message(session->plan()[1].support), HasSubstr("no PEBS here"));
  EXPECT_THAT(Message(session->plan()[2].support), HasSubstr("second has no event cyclez"));
  EXPECT_THAT(Message(session->plan()[3].support), HasSubstr("paranoid is 4"));
  EXPECT_EQ(session->Status().state, SessionState::kArmed);
}

TEST_F(SessionManagerTest, SlotsThatAreNotOpenAreNotSupportedInEverySample) {
  backend_.AddUnopenable("bus-cycles", absl::PermissionDeniedError("no"));
  StartRequest request = RequestFor("cycles,bus-cycles");
  request.start_now = true;
  const auto session = Start(request).value();

  session->Read([](const Sample& sample, SessionState) {
    ASSERT_EQ(sample.readings.size(), 4u);
    EXPECT_EQ(sample.readings[0].state, ReadingState::kCounted);
    EXPECT_EQ(sample.readings[2].state, ReadingState::kNotSupported);
    EXPECT_EQ(sample.readings[2].raw_count, 0u);
  });
}

TEST_F(SessionManagerTest, ASessionWithoutAnyCountableEventIsStillArmed) {
  const auto session = Start(RequestFor("nope,neither")).value();

  EXPECT_EQ(session->Status().state, SessionState::kArmed);
  EXPECT_TRUE(session->slots().empty());
  EXPECT_TRUE(session->Trigger(0, 0).ok());
}

TEST_F(SessionManagerTest, AMalformedEventFailsTheCallAndOpensNothing) {
  backend_.AddBroken("bad", absl::InvalidArgumentError("position 3: no such term"));

  EXPECT_EQ(Start(RequestFor("cycles,bad")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(backend_.log(), ElementsAre());
}

TEST_F(SessionManagerTest, AGroupOverTwoBackendsIsRefused) {
  const absl::Status status = Start(RequestFor("{cycles,si_rrq}")).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("group 1"), HasSubstr("first"), HasSubstr("second")));
}

// The kernel's cycles beside registers that run by themselves (SMI cost).
TEST_F(SessionManagerTest, WhatAlwaysCountsMayJoinAnyGroup) {
  other_.set_never_multiplexed(true);

  EXPECT_TRUE(Start(RequestFor("{cycles,si_rrq}")).ok());
  EXPECT_TRUE(Start(RequestFor("{si_rrq,cycles}")).ok());
}

TEST_F(SessionManagerTest, ErrorsOfOpeningPassThroughAndCloseTheOthers) {
  other_.set_open_error(absl::NotFoundError("no process 4711"));

  EXPECT_EQ(Start(RequestFor("cycles,si_rrq")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionManagerTest, ADryRunOpensNothing) {
  StartRequest request = RequestFor("cycles,nope");
  request.dry_run = true;

  const StartedSession started = manager_->Start(request).value();

  EXPECT_EQ(started.session, nullptr);
  EXPECT_EQ(started.dry_run_plan.size(), 2u);
  EXPECT_TRUE(backend_.log().empty());
  EXPECT_TRUE(manager_->List().empty());
}

TEST_F(SessionManagerTest, TheSameKeyFindsTheSameSession) {
  const auto session = Start(RequestFor("cycles", "alice", "k1")).value();

  EXPECT_EQ(Start(RequestFor("cycles", "alice", "k1")).value(), session);
  EXPECT_NE(Start(RequestFor("cycles", "alice", "k2")).value(), session);
  EXPECT_NE(Start(RequestFor("cycles", "bob", "k1")).value(), session);
  EXPECT_EQ(manager_->List().size(), 3u);
}

TEST_F(SessionManagerTest, AKeyIsRememberedAsLongAsItsSession) {
  const auto session = Start(RequestFor("cycles", "alice", "k1")).value();
  Stop(session);

  EXPECT_EQ(Start(RequestFor("cycles", "alice", "k1")).value(), session);
  scheduler_.Advance(kKeepEndedNs);
  EXPECT_NE(Start(RequestFor("cycles", "alice", "k1")).value(), session);
}

TEST_F(SessionManagerTest, AKeyIsNotForTwoRequests) {
  ASSERT_TRUE(Start(RequestFor("cycles", "alice", "k1")).ok());

  EXPECT_EQ(Start(RequestFor("branches", "alice", "k1")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(SessionManagerTest, AFailedStartFreesItsKeyAndPlace) {
  backend_.set_open_error(absl::NotFoundError("no process 4711"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Start(RequestFor("cycles", "alice", "k1")).status().code(),
              absl::StatusCode::kNotFound);
  }
  backend_.set_open_error(absl::OkStatus());

  EXPECT_TRUE(Start(RequestFor("cycles", "alice", "k1")).ok());
}

TEST_F(SessionManagerTest, TooManySessionsNamesTheHolders) {
  ASSERT_TRUE(Start(RequestFor("cycles", "alice@lab1:4711")).ok());
  ASSERT_TRUE(Start(RequestFor("cycles", "bob")).ok());
  const auto last = Start(RequestFor("cycles", "bob")).value();

  const absl::Status status = Start(RequestFor("cycles", "carol")).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("3 of 3"), HasSubstr("\"alice@lab1:4711\" (s-"),
                    HasSubstr("\"bob\" (s-"), HasSubstr(", since 2023-11-14T22:13:20Z)")));
  Stop(last);
  EXPECT_TRUE(Start(RequestFor("cycles", "carol")).ok()) << "ended sessions hold no place";
}

TEST_F(SessionManagerTest, TooManyDescriptorsSaysNeededAllowedAndHolders) {
  ASSERT_TRUE(Start(RequestFor("cycles,branches", "alice")).ok());

  const absl::Status status = Start(RequestFor("cycles,branches,si_rrq", "bob")).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("5 counters are needed"), HasSubstr("4 of 8"), HasSubstr("alice")));
  EXPECT_EQ(backend_.open_sets(), 1);
}

TEST_F(SessionManagerTest, AnEventThatFindsNoCounterNamesWhoHasThem) {
  backend_.AddUnopenable("busy", absl::ResourceExhaustedError("no counter is left"));
  ASSERT_TRUE(manager_->Start(RequestFor("cycles", "alice")).ok());

  const auto started = manager_->Start(RequestFor("busy,cycles", "bob"));

  ASSERT_TRUE(started.ok());
  EXPECT_THAT(Message(started->session->plan()[0].support),
              AllOf(HasSubstr("no counter is left; counters are held by \"alice\" (s-"),
                    Not(HasSubstr("bob"))));
}

TEST_F(SessionManagerTest, ExhaustionWithinABackendNamesTheHoldersToo) {
  ASSERT_TRUE(Start(RequestFor("cycles", "alice")).ok());
  backend_.set_open_error(absl::ResourceExhaustedError("2 descriptors are needed, 1 is left"));

  const absl::Status status = Start(RequestFor("cycles", "bob")).status();

  EXPECT_THAT(Message(status), AllOf(HasSubstr("1 is left"), HasSubstr("\"alice\" (s-")));
}

TEST_F(SessionManagerTest, EndedSessionsAreListedForAMinute) {
  const auto first = Start(RequestFor("cycles")).value();
  const auto second = Start(RequestFor("cycles")).value();
  Stop(first);

  scheduler_.Advance(1);
  EXPECT_THAT(manager_->List(), ElementsAre(first, second));
  scheduler_.Advance(kKeepEndedNs - 2);
  EXPECT_TRUE(manager_->Find(first->id()).ok());
  scheduler_.Advance(1);

  EXPECT_FALSE(manager_->Find(first->id()).ok());
}

TEST_F(SessionManagerTest, EndedSessionsDoNotPileUp) {
  const std::string first = Start(RequestFor("cycles")).value()->id();
  Stop(manager_->Find(first).value());
  for (size_t i = 0; i < Limits().max_ended_sessions; ++i)
    Stop(Start(RequestFor("cycles")).value());

  EXPECT_EQ(manager_->List().size(), Limits().max_ended_sessions);
  EXPECT_FALSE(manager_->Find(first).ok());
  scheduler_.Advance(kKeepEndedNs);
  EXPECT_TRUE(manager_->List().empty());
}

TEST_F(SessionManagerTest, StartNowThatFailsIsAnErrorAndFreesEverything) {
  backend_.set_enable_error(absl::InternalError("EIO"));
  StartRequest request = RequestFor("cycles");
  request.start_now = true;

  EXPECT_EQ(Start(request).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionManagerTest, NothingStartsAfterShutdown) {
  ASSERT_TRUE(Start(RequestFor("cycles")).ok());

  manager_->Shutdown();

  EXPECT_EQ(backend_.open_sets(), 0);
  EXPECT_EQ(Start(RequestFor("cycles")).status().code(), absl::StatusCode::kUnavailable);
}

// A switch of the machine, as sessions see it.
struct FakeSwitch {
  SessionManager::FreezeOnSmiFunction Function() {
    return [this]() -> absl::StatusOr<std::shared_ptr<void>> {
      if (!error.ok()) return error;
      ++holds;
      return std::shared_ptr<void>(&holds, [](void* counter) { --*static_cast<int*>(counter); });
    };
  }
  int holds = 0;
  absl::Status error;
};

StartRequest SmiRequest(const std::string& events) {
  StartRequest request = RequestFor(events);
  request.spec.freeze_on_smi = true;
  return request;
}

TEST_F(SessionManagerTest, TheSwitchIsHeldWhileASessionThatAsksForItLives) {
  FakeSwitch freeze;
  manager_->SetFreezeOnSmi(freeze.Function());
  const auto plain = Start(RequestFor("cycles")).value();
  EXPECT_EQ(freeze.holds, 0);

  const auto session = Start(SmiRequest("cycles")).value();
  EXPECT_EQ(freeze.holds, 1);
  Stop(session);

  EXPECT_EQ(freeze.holds, 0);
}

TEST_F(SessionManagerTest, TheSwitchIsLetGoWhenTheLeaseRunsOutAndAtShutdown) {
  FakeSwitch freeze;
  manager_->SetFreezeOnSmi(freeze.Function());
  const auto expiring = Start(SmiRequest("cycles")).value();
  scheduler_.Advance(expiring->request().spec.lease_ns + 1);
  EXPECT_EQ(freeze.holds, 0);

  const auto session = Start(SmiRequest("cycles")).value();
  EXPECT_EQ(freeze.holds, 1);
  manager_->Shutdown();
  EXPECT_EQ(freeze.holds, 0);
}

TEST_F(SessionManagerTest, WithAnEventMissingTheSwitchIsNotTouched) {
  FakeSwitch freeze;
  manager_->SetFreezeOnSmi(freeze.Function());

  const absl::Status missing = Start(SmiRequest("cycles,no-aperf")).status();

  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(missing), HasSubstr("no-aperf"));
  EXPECT_EQ(freeze.holds, 0);
  EXPECT_EQ(backend_.open_sets(), 0);
}

TEST_F(SessionManagerTest, WhatTheSwitchSaysIsTheAnswer) {
  FakeSwitch freeze;
  freeze.error = absl::PermissionDeniedError("cannot be written");
  EXPECT_EQ(Start(SmiRequest("cycles")).status().code(), absl::StatusCode::kFailedPrecondition);
  manager_->SetFreezeOnSmi(freeze.Function());

  EXPECT_EQ(Start(SmiRequest("cycles")).status(), freeze.error);
  EXPECT_EQ(backend_.open_sets(), 0);
}

}  // namespace
}  // namespace pmu::server
