// Sessions whose controllers die, come back, or read too slowly.
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/pmu/v1/service.grpc.pb.h"
#include "tests/integration/agent.h"

namespace pmu::integration {
namespace {

using pmu::v1::PmuService;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int64_t kMillisecond = 1'000'000;

class SessionFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    agent_ = Agent::Start();
    ASSERT_NE(agent_, nullptr);
    stub_ = Connect();
  }

  // A controller of its own.
  std::unique_ptr<PmuService::Stub> Connect() {
    grpc::ChannelArguments arguments;
    arguments.SetInt("grpc.use_local_subchannel_pool", 1);
    return PmuService::NewStub(
        grpc::CreateCustomChannel(agent_->host(), grpc::InsecureChannelCredentials(), arguments));
  }

  std::string Start(PmuService::Stub* stub, const std::string& client, int64_t lease_ns,
                    int64_t interval_ns) {
    grpc::ClientContext context;
    pmu::v1::StartSessionRequest request;
    request.mutable_spec()->set_events("{task-clock,page-faults,context-switches}");
    request.mutable_spec()->set_client_id(client);
    request.mutable_spec()->set_lease_ns(lease_ns);
    request.mutable_spec()->set_interval_ns(interval_ns);
    request.set_start_now(true);
    pmu::v1::StartSessionResponse response;
    const grpc::Status status = stub->StartSession(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session().id();
  }

  pmu::v1::ListSessionsResponse List(const std::string& client) {
    grpc::ClientContext context;
    pmu::v1::ListSessionsRequest request;
    request.set_client_id(client);
    pmu::v1::ListSessionsResponse response;
    EXPECT_TRUE(stub_->ListSessions(&context, request, &response).ok());
    return response;
  }

  std::unique_ptr<Agent> agent_;
  std::unique_ptr<PmuService::Stub> stub_;
};

TEST_F(SessionFaultTest, TheLeaseOfAControllerThatDiedFreesEverything) {
  auto other = Connect();
  Start(other.get(), "dies", 300 * kMillisecond, kMillisecond);
  other.reset();

  EXPECT_GT(agent_->OpenCounters(), 0);
  EXPECT_TRUE(WaitUntil([&] { return agent_->OpenCounters() == 0; }));
  EXPECT_EQ(List("dies").sessions(0).state(), pmu::v1::SESSION_STATE_EXPIRED);
}

TEST_F(SessionFaultTest, AControllerThatComesBackFindsItsSessionAndItsSamples) {
  auto first = Connect();
  const std::string id = Start(first.get(), "comes-back", 20'000 * kMillisecond, kMillisecond);
  Start(first.get(), "somebody else", 20'000 * kMillisecond, 0);
  first.reset();

  const pmu::v1::ListSessionsResponse found = List("comes-back");
  ASSERT_THAT(found.sessions(), SizeIs(1));
  EXPECT_EQ(found.sessions(0).id(), id);

  grpc::ClientContext context;
  pmu::v1::WatchRequest request;
  request.set_session_id(id);
  auto reader = stub_->Watch(&context, request);
  pmu::v1::WatchResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.samples(0).number(), 1u);
  context.TryCancel();
}

// One watcher does not read, another reads everything: it, and the sampling,
// do not notice. The slow one is told what it cannot have any more.
TEST_F(SessionFaultTest, ASlowWatcherHoldsNobodyUp) {
  const std::string id = Start(stub_.get(), "watched", 20'000 * kMillisecond, kMillisecond);
  auto slow_stub = Connect();
  grpc::ClientContext slow_context;
  pmu::v1::WatchRequest request;
  request.set_session_id(id);
  auto slow = slow_stub->Watch(&slow_context, request);

  grpc::ClientContext context;
  request.set_max_delay_ns(20 * kMillisecond);
  auto reader = stub_->Watch(&context, request);
  uint64_t next = 1;
  pmu::v1::WatchResponse response;
  while (next < 1500 && reader->Read(&response)) {
    EXPECT_FALSE(response.has_gap());
    for (const pmu::v1::IntervalSample& sample : response.samples()) {
      EXPECT_EQ(sample.number(), next + sample.missed_before());
      next = sample.number() + 1;
    }
  }
  EXPECT_GE(next, 1500u);
  context.TryCancel();

  // What it reads at last is whole: every number, or a gap that names them.
  uint64_t slow_next = 1;
  while (slow_next < 1000 && slow->Read(&response)) {
    if (response.has_gap()) {
      EXPECT_EQ(response.gap().first_number(), slow_next);
      slow_next = response.gap().last_number() + 1;
    }
    for (const pmu::v1::IntervalSample& sample : response.samples()) {
      EXPECT_EQ(sample.number(), slow_next + sample.missed_before());
      slow_next = sample.number() + 1;
    }
  }
  EXPECT_GE(slow_next, 1000u);
  slow_context.TryCancel();
}

TEST_F(SessionFaultTest, ARefusalNamesTheHolder) {
  AgentOptions options;
  options.options = {"--simulate=cci400-r1"};
  agent_ = Agent::Start(options);
  ASSERT_NE(agent_, nullptr);
  const auto held = Process::Start({PmuctlPath(), "run", "--hosts", agent_->host(), "-e",
                                    "cci400/cycles/", "--client-id", "alice", "--duration", "1h"});
  stub_ = Connect();
  ASSERT_TRUE(WaitUntil([&] { return List("alice").sessions_size() == 1; }));
  const Finished sessions = Pmuctl({"sessions", "--hosts", agent_->host(), "--client-id", "alice"});
  EXPECT_EQ(sessions.status, 0) << sessions.err;
  EXPECT_THAT(sessions.out, HasSubstr("alice"));
  EXPECT_THAT(sessions.out, HasSubstr("cci400/cycles/"));

  const Finished refused = Pmuctl(
      {"run", "--hosts", agent_->host(), "-e", "cci400/cycles/,task-clock", "--duration", "50ms"});

  EXPECT_EQ(refused.status, 122);
  EXPECT_THAT(refused.out, HasSubstr("\"alice\" (s-"));
  EXPECT_THAT(refused.out, HasSubstr("since 2"));

  held->Signal(SIGINT);
  held->Wait();
  EXPECT_EQ(Pmuctl({"sessions", "--hosts", agent_->host()}).out, "no sessions\n");
  EXPECT_THAT(Pmuctl({"sessions", "--hosts", agent_->host(), "--all"}).out, HasSubstr("stopped"));
}

}  // namespace
}  // namespace pmu::integration
