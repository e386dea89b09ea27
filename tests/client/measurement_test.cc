#include "client/measurement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "tests/fakes/fake_agent.h"

namespace pmu::client {
namespace {

constexpr int64_t kYearNs = int64_t{365} * 86400 * 1'000'000'000;

class MeasurementTest : public ::testing::Test {
 protected:
  MeasurementSpec Spec() const {
    MeasurementSpec spec;
    spec.hosts = {a_.address(), b_.address(), c_.address()};
    spec.events = "one,two";
    spec.duration = absl::Milliseconds(50);
    return spec;
  }

  static FleetOptions Options(absl::Duration timeout = absl::Seconds(2)) {
    FleetOptions options;
    options.timeout = timeout;
    return options;
  }

  static std::unique_ptr<Measurement> Make(const MeasurementSpec& spec, FleetOptions options) {
    absl::StatusOr<std::unique_ptr<Measurement>> made = Measurement::Create(spec, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  int OpenSessions() const { return a_.open_sessions() + b_.open_sessions() + c_.open_sessions(); }

  FakeAgent a_, b_, c_;
};

TEST_F(MeasurementTest, MeasuresAllHostsFromOneInstantToAnother) {
  a_.SetClockOffset(-40 * kYearNs);
  b_.SetClockOffset(30 * kYearNs);
  auto measurement = Make(Spec(), Options());

  ASSERT_TRUE(measurement->Arm().ok());
  EXPECT_EQ(OpenSessions(), 3);
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  EXPECT_EQ(result.requested_events, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(result.hosts.size(), 3u);
  for (const HostResult& host : result.hosts) {
    ASSERT_TRUE(host.status.ok()) << host.status;
    ASSERT_EQ(host.events.size(), 2u);
    ASSERT_EQ(host.events[1].readings.size(), 2u);
    EXPECT_EQ(host.events[1].readings[1].cpu, 1);
    EXPECT_EQ(host.events[1].readings[1].reading.raw_count, 1000u);
    EXPECT_EQ(host.measured_ns, 50'000'000);
    EXPECT_EQ(host.enable_took_ns, 10'000);
    ASSERT_TRUE(host.disabled.has_value());
  }
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(OpenSessions(), 0);
}

// All fakes run on this machine's clock below their offsets, so the true skew
// is known.
TEST_F(MeasurementTest, ThePrintedSkewIsTheTrueOneWithinItsBound) {
  a_.SetClockOffset(-kYearNs);
  b_.SetClockOffset(2 * kYearNs);
  c_.SetEnableLateness(absl::Milliseconds(7));
  auto measurement = Make(Spec(), Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  const int64_t first = std::min({a_.enabled_at_ns(), b_.enabled_at_ns(), c_.enabled_at_ns()});
  const int64_t last = std::max({a_.enabled_at_ns(), b_.enabled_at_ns(), c_.enabled_at_ns()});
  ASSERT_TRUE(result.start_skew_ns.has_value());
  EXPECT_LE(std::llabs(*result.start_skew_ns - (last - first)), result.start_skew_error_ns);
  EXPECT_GT(*result.start_skew_ns + result.start_skew_error_ns, 6'000'000);
}

TEST_F(MeasurementTest, AHostThatIsDownIsNamedAndTheRestMeasured) {
  b_.Vanish();
  auto measurement = Make(Spec(), Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  EXPECT_TRUE(result.hosts[0].status.ok());
  EXPECT_EQ(result.hosts[1].status.message(),
            "connection refused (is pmud running on " + b_.address() + "?)");
  EXPECT_FALSE(result.hosts[1].identity.has_value());
  EXPECT_TRUE(result.hosts[2].status.ok());
}

TEST_F(MeasurementTest, TooFewHostsArmedReleasesAll) {
  c_.Fail("StartSession", absl::ResourceExhaustedError("8 of 8 sessions in use"));
  MeasurementSpec spec = Spec();
  spec.min_hosts = 3;
  auto measurement = Make(spec, Options());

  const absl::Status status = measurement->Arm();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "only 2 of 3 hosts could be armed, 3 are required");
  EXPECT_EQ(OpenSessions(), 0);
  EXPECT_EQ(measurement->result().hosts[2].status.message(), "8 of 8 sessions in use");
  EXPECT_FALSE(measurement->result().hosts[0].status.ok());
}

TEST_F(MeasurementTest, AHostWhoseTriggerComesLateIsMarked) {
  b_.Delay("Trigger", absl::Milliseconds(150));
  MeasurementSpec spec = Spec();
  spec.duration = absl::Milliseconds(200);
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  EXPECT_TRUE(result.hosts[0].status.ok());
  EXPECT_EQ(result.hosts[1].status.code(), absl::StatusCode::kOutOfRange) << result.hosts[1].status;
  EXPECT_NE(result.hosts[1].status.message().find("could not start"), absl::string_view::npos);
  EXPECT_TRUE(result.hosts[2].status.ok());
  EXPECT_EQ(OpenSessions(), 0);
}

// The answer to Trigger was lost, the agent started in time all the same.
TEST_F(MeasurementTest, AHostInDoubtIsSettledAtTheEnd) {
  b_.DelayAnswer("Trigger", absl::Seconds(30));
  MeasurementSpec spec = Spec();
  spec.min_hosts = 2;
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  for (const HostResult& host : result.hosts) EXPECT_TRUE(host.status.ok()) << host.status;
}

TEST_F(MeasurementTest, TooFewHostsStartedReleasesAll) {
  b_.Fail("Trigger", absl::FailedPreconditionError("not armed"));
  MeasurementSpec spec = Spec();
  spec.min_hosts = 3;
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  const absl::Status status = measurement->Start();

  EXPECT_EQ(status.message(), "only 2 of 3 hosts could be started, 3 are required");
  EXPECT_EQ(OpenSessions(), 0);
}

TEST_F(MeasurementTest, AHostThatVanishesInTheMiddleIsNamedWithSinceWhen) {
  MeasurementSpec spec = Spec();
  spec.duration = absl::Milliseconds(300);
  auto measurement = Make(spec, Options(absl::Seconds(1)));

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  b_.Vanish();
  const MeasurementResult result = measurement->Finish();

  EXPECT_TRUE(result.hosts[0].status.ok());
  EXPECT_EQ(result.hosts[1].status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(result.hosts[1].status.message(),
            "lost, last heard 0.0 s after the start: connection refused (is pmud running on " +
                b_.address() + "?)");
  EXPECT_TRUE(result.hosts[2].status.ok());
}

TEST_F(MeasurementTest, AShortAbsenceLosesNothing) {
  MeasurementSpec spec = Spec();
  spec.duration = absl::Milliseconds(200);
  auto measurement = Make(spec, Options(absl::Seconds(5)));

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  b_.Vanish();
  // Back while the client already tries to collect.
  std::thread network([&] {
    absl::SleepFor(absl::Milliseconds(500));
    b_.Return();
  });
  const MeasurementResult result = measurement->Finish();
  network.join();

  for (const HostResult& host : result.hosts) EXPECT_TRUE(host.status.ok()) << host.status;
}

TEST_F(MeasurementTest, ARestartedAgentIsSaid) {
  auto measurement = Make(Spec(), Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  a_.ForgetSessions();
  b_.Reboot();
  const MeasurementResult result = measurement->Finish();

  EXPECT_EQ(result.hosts[0].status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(result.hosts[0].status.message(), "the agent was restarted during the measurement");
  EXPECT_EQ(result.hosts[1].status.message(), "the machine was rebooted during the measurement");
  EXPECT_TRUE(result.hosts[2].status.ok());
}

TEST_F(MeasurementTest, AClockThatJumpsEndsItsHost) {
  MeasurementSpec spec = Spec();
  spec.duration = absl::Milliseconds(1100);
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  b_.SetClockOffset(5'000'000'000);
  const MeasurementResult result = measurement->Finish();

  EXPECT_TRUE(result.hosts[0].status.ok());
  EXPECT_EQ(result.hosts[1].status.code(), absl::StatusCode::kAborted);
  EXPECT_NE(result.hosts[1].status.message().find("clock jumped by +"), absl::string_view::npos)
      << result.hosts[1].status;
}

TEST_F(MeasurementTest, RequestStopFromAnotherThreadEndsAnOpenMeasurement) {
  MeasurementSpec spec = Spec();
  spec.duration.reset();
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  std::thread other([&] { measurement->RequestStop(/*interrupted=*/false); });
  const MeasurementResult result = measurement->Finish();
  other.join();

  for (const HostResult& host : result.hosts) {
    EXPECT_TRUE(host.status.ok()) << host.status;
    EXPECT_GT(host.measured_ns, 0);
  }
  EXPECT_FALSE(result.interrupted);
}

TEST_F(MeasurementTest, AnInterruptEndsALongMeasurementEarlyWithItsReadings) {
  MeasurementSpec spec = Spec();
  spec.duration = absl::Hours(1);
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  std::thread other([&] { measurement->RequestStop(/*interrupted=*/true); });
  const MeasurementResult result = measurement->Finish();
  other.join();

  EXPECT_TRUE(result.interrupted);
  for (const HostResult& host : result.hosts) EXPECT_TRUE(host.status.ok()) << host.status;
  const int64_t first = std::min({a_.disabled_at_ns(), b_.disabled_at_ns(), c_.disabled_at_ns()});
  const int64_t last = std::max({a_.disabled_at_ns(), b_.disabled_at_ns(), c_.disabled_at_ns()});
  EXPECT_LT(last - first, 100'000'000);
}

TEST_F(MeasurementTest, AnInterruptDoesNotWaitATimeLimitForAHostThatHangs) {
  MeasurementSpec spec = Spec();
  spec.duration = absl::Milliseconds(100);
  auto measurement = Make(spec, Options(absl::Hours(1)));

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  b_.Delay("Stop", absl::Hours(1));
  std::thread other([&] { measurement->RequestStop(/*interrupted=*/true); });
  const MeasurementResult result = measurement->Finish();
  other.join();

  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.hosts[0].status.ok()) << result.hosts[0].status;
  const std::string why(result.hosts[1].status.message());
  EXPECT_TRUE(absl::EndsWith(why, "s after the start: not waited for after the interrupt")) << why;
  EXPECT_TRUE(result.hosts[2].status.ok()) << result.hosts[2].status;
}

TEST_F(MeasurementTest, RequestStopCancelsArmingAndReleasesWhatWasOpened) {
  c_.Delay("StartSession", absl::Hours(1));
  auto measurement = Make(Spec(), Options(absl::Hours(1)));
  std::thread other([&] {
    while (a_.open_sessions() + b_.open_sessions() < 2) std::this_thread::yield();
    measurement->RequestStop(/*interrupted=*/true);
  });

  const absl::Status status = measurement->Arm();
  other.join();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(OpenSessions(), 0);
}

TEST_F(MeasurementTest, DestructionEndsOpenSessions) {
  auto measurement = Make(Spec(), Options());
  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_EQ(OpenSessions(), 3);

  measurement.reset();

  EXPECT_EQ(OpenSessions(), 0);
}

TEST_F(MeasurementTest, RenewsLeasesAtAThirdWhileItRuns) {
  MeasurementSpec spec = Spec();
  spec.lease = absl::Milliseconds(300);
  spec.duration = absl::Milliseconds(750);
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  const MeasurementResult result = measurement->Finish();

  EXPECT_TRUE(result.hosts[0].status.ok()) << result.hosts[0].status;
  EXPECT_GE(a_.calls("RenewLease"), 3);
}

TEST_F(MeasurementTest, ADryRunResolvesAndOpensNothing) {
  MeasurementSpec spec = Spec();
  spec.events = "one,missing";
  spec.dry_run = true;
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());

  const HostResult& host = measurement->result().hosts[0];
  ASSERT_EQ(host.events.size(), 2u);
  EXPECT_TRUE(host.events[0].event.supported());
  EXPECT_EQ(host.events[1].event.reason(), "fake has no such event");
  EXPECT_EQ(OpenSessions(), 0);
  EXPECT_EQ(measurement->Start().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(MeasurementTest, ATriedAgainStartSessionGivesOneSession) {
  a_.Fail("StartSession", absl::UnavailableError("connection was cut"), 1);
  auto measurement = Make(Spec(), Options());

  ASSERT_TRUE(measurement->Arm().ok());

  EXPECT_TRUE(measurement->result().hosts[0].status.ok());
  EXPECT_EQ(a_.open_sessions(), 1);
  EXPECT_EQ(a_.calls("StartSession"), 2);
  EXPECT_NE(a_.last_client_id().find('@'), std::string::npos);
}

TEST_F(MeasurementTest, ReportsProgressOfEveryPhase) {
  MeasurementSpec spec = Spec();
  std::vector<std::pair<Phase, int64_t>> seen;
  spec.progress = [&](Phase phase, int64_t done, int64_t) { seen.emplace_back(phase, done); };
  auto measurement = Make(spec, Options());

  ASSERT_TRUE(measurement->Arm().ok());
  ASSERT_TRUE(measurement->Start().ok());
  measurement->Finish();

  for (Phase phase : {Phase::kConnect, Phase::kArm, Phase::kCollect}) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), std::make_pair(phase, int64_t{3})), seen.end());
  }
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                          [](const auto& entry) { return entry.first == Phase::kRunning; }));
}

TEST(MeasurementCreateTest, RefusesWhatIsWrongBeforeAnythingIsSent) {
  FakeAgent agent;
  MeasurementSpec spec;
  spec.hosts = {agent.address()};
  spec.events = "cycles,{instructions";
  EXPECT_EQ(Measurement::Create(spec, {}).status().code(), absl::StatusCode::kInvalidArgument);

  spec.events = "cycles";
  spec.hosts = {agent.address(), "host:99999"};
  EXPECT_EQ(Measurement::Create(spec, {}).status().code(), absl::StatusCode::kInvalidArgument);

  spec.hosts = {};
  EXPECT_EQ(Measurement::Create(spec, {}).status().code(), absl::StatusCode::kInvalidArgument);

  spec.hosts = {agent.address()};
  spec.min_hosts = 2;
  EXPECT_EQ(Measurement::Create(spec, {}).status().code(), absl::StatusCode::kInvalidArgument);

  EXPECT_EQ(agent.calls("GetHost"), 0);
}

}  // namespace
}  // namespace pmu::client
