#include "client/fleet.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "common/clock.h"
#include "tests/client/silent_peer.h"
#include "tests/fakes/fake_agent.h"

namespace pmu::client {
namespace {

constexpr int64_t kYearNs = int64_t{365} * 86400 * 1'000'000'000;

FleetOptions Impatient() {
  FleetOptions options;
  options.timeout = absl::Milliseconds(300);
  return options;
}

TEST(QueryHostsTest, OneAnswerPerHostInTheOrderGiven) {
  FakeAgent first, second;
  second.SetClockOffset(3 * kYearNs);

  const auto answers = QueryHosts({first.address(), second.address()}, {});

  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].host, first.address());
  EXPECT_TRUE(answers[0].status.ok()) << answers[0].status;
  EXPECT_EQ(answers[0].identity.hostname(), "fake");
  ASSERT_TRUE(answers[1].status.ok()) << answers[1].status;
  EXPECT_LE(std::llabs(answers[1].clock->offset_ns - 3 * kYearNs), answers[1].clock->error_ns);
  EXPECT_GT(answers[1].round_trip, absl::ZeroDuration());
}

TEST(QueryHostsTest, ARefusedHostIsAnAnswerAtOnce) {
  FakeAgent there, gone;
  gone.Vanish();
  FleetOptions patient;
  patient.timeout = absl::Hours(1);  // the test's own time limit would end it

  const auto answers = QueryHosts({gone.address(), there.address()}, patient);

  EXPECT_EQ(answers[0].status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(answers[0].status.message(),
            "connection refused (is pmud running on " + gone.address() + "?)");
  EXPECT_TRUE(answers[1].status.ok());
}

TEST(QueryHostsTest, AHostThatAcceptsAndSaysNothingEndsAtTheTimeLimit) {
  FakeAgent there;
  SilentPeer silent;

  const auto answers = QueryHosts({silent.address(), there.address()}, Impatient());

  EXPECT_EQ(answers[0].status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(answers[0].status.message(), "no answer within 300ms");
  EXPECT_TRUE(answers[1].status.ok());
}

TEST(QueryHostsTest, AnAgentThatHangsEndsAtTheTimeLimit) {
  FakeAgent hangs;
  hangs.Delay("GetHost", absl::Hours(1));

  const auto answers = QueryHosts({hangs.address()}, Impatient());

  EXPECT_EQ(answers[0].status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(QueryHostsTest, APassingFailureIsTriedOnceMore) {
  FakeAgent agent;
  agent.Fail("GetHost", absl::UnavailableError("agent is starting"), 1);

  const auto answers = QueryHosts({agent.address()}, {});

  EXPECT_TRUE(answers[0].status.ok()) << answers[0].status;
  EXPECT_EQ(agent.calls("GetHost"), 2);
}

TEST(QueryHostsTest, APeerThatIsNoPmudIsSaid) {
  FakeAgent other;
  other.Fail("GetHost", absl::UnimplementedError(""));

  const auto answers = QueryHosts({other.address()}, {});

  EXPECT_EQ(answers[0].status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(answers[0].status.message().find("not a pmud"), absl::string_view::npos);
}

TEST(QueryHostsTest, ABadNameIsAnAnswerToo) {
  FakeAgent there;

  const auto answers = QueryHosts({"host:99999", there.address(), "name.invalid"}, Impatient());

  EXPECT_EQ(answers[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(answers[1].status.ok());
  EXPECT_FALSE(answers[2].status.ok());
}

// A proxy that leads nowhere must not matter, and must be named when used.
TEST(QueryHostsTest, ProxyVariablesAreObeyedOnlyOnRequest) {
  FakeAgent agent, nowhere;
  nowhere.Vanish();
  setenv("http_proxy", ("http://" + nowhere.address()).c_str(), 1);
  FleetOptions with_proxy = Impatient();
  with_proxy.use_proxy = true;

  const auto direct = QueryHosts({agent.address()}, Impatient());
  const auto through = QueryHosts({agent.address()}, with_proxy);
  unsetenv("http_proxy");

  EXPECT_TRUE(direct[0].status.ok()) << direct[0].status;
  EXPECT_FALSE(through[0].status.ok());
  EXPECT_NE(through[0].status.message().find("proxy http://" + nowhere.address()),
            absl::string_view::npos)
      << through[0].status;
}

TEST(QueryHostsTest, MoreHostsThanMayBeUnderWayAtOnce) {
  std::vector<std::unique_ptr<FakeAgent>> agents;
  std::vector<std::string> hosts;
  for (int i = 0; i < 7; ++i) {
    agents.push_back(std::make_unique<FakeAgent>());
    hosts.push_back(agents.back()->address());
  }
  FleetOptions narrow;
  narrow.max_in_flight = 2;

  const auto answers = QueryHosts(hosts, narrow);

  for (const HostAnswer& answer : answers) EXPECT_TRUE(answer.status.ok()) << answer.status;
}

TEST(QueryHostsTest, NoHostsNoAnswers) { EXPECT_TRUE(QueryHosts({}, {}).empty()); }

TEST(ListCountersTest, CollectsAllPages) {
  FakeAgent agent;

  const auto listings = ListCounters({agent.address()}, "", false, {});

  ASSERT_TRUE(listings[0].status.ok()) << listings[0].status;
  ASSERT_EQ(listings[0].counters.size(), 6u);
  EXPECT_EQ(listings[0].counters[5].name(), "counter5");
  EXPECT_EQ(agent.calls("ListCounters"), 3);
}

TEST(ListCountersTest, AFailedPageIsNoShorterList) {
  FakeAgent agent, gone;
  agent.Fail("ListCounters", absl::InternalError("broken"));
  gone.Vanish();

  const auto listings = ListCounters({agent.address(), gone.address()}, "", false, {});

  EXPECT_EQ(listings[0].status.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(listings[0].counters.empty());
  EXPECT_EQ(listings[1].status.code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace pmu::client
