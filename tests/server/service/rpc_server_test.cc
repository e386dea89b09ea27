// The RPCs over real sockets, with a backend without hardware.
#include "server/service/rpc_server.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <sys/stat.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/grpc/health/v1/health.grpc.pb.h"
#include "proto/pmu/v1/service.grpc.pb.h"
#include "tests/fakes/fake_backend.h"
#include "tests/integration/process.h"
#include "tests/server/socket_directory.h"

namespace pmu::server {
namespace {

using pmu::v1::PmuService;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RpcServerTest : public ::testing::Test {
 protected:
  void SetUp() override { Serve({"127.0.0.1:0"}); }

  // An agent with two events; `backend_` is its backend.
  void Serve(const std::vector<std::string>& addresses) {
    auto backend = std::make_unique<FakeBackend>();
    backend_ = backend.get();
    backend_->AddEvent("cycles");
    backend_->AddBroken("mem-loads", absl::UnimplementedError("no PEBS here"));
    std::vector<std::unique_ptr<CounterBackend>> backends;
    backends.push_back(std::move(backend));
    server_.reset();
    AgentOptions options;
    options.instance = "instance";
    agent_ = Agent::Create(options, std::move(backends)).value();
    std::vector<ListenAddress> listen;
    for (const std::string& text : addresses) listen.push_back(ParseListenAddress(text).value());
    absl::StatusOr<std::unique_ptr<RpcServer>> server =
        RpcServer::Start(agent_.get(), listen, false);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    Connect(server_->addresses().front());
  }

  void Connect(const std::string& address) {
    channel_ = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
    stub_ = PmuService::NewStub(channel_);
  }

  // One call; on an error `response` stays as it is.
  template <class Method, class Request, class Response>
  grpc::Status Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return (stub_.get()->*method)(&context, request, response);
  }

  pmu::v1::StartSessionResponse Start(const std::string& events, bool start_now = false) {
    pmu::v1::StartSessionRequest request;
    request.mutable_spec()->set_events(events);
    request.mutable_spec()->set_client_id("test");
    request.set_start_now(start_now);
    pmu::v1::StartSessionResponse response;
    const grpc::Status status = Call(&PmuService::Stub::StartSession, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  grpc::Status StopAt(const std::string& id, int64_t at_ns, pmu::v1::StopResponse* response) {
    pmu::v1::StopRequest request;
    request.set_session_id(id);
    request.set_stop_at_ns(at_ns);
    return Call(&PmuService::Stub::Stop, request, response);
  }

  FakeBackend* backend_ = nullptr;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<RpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<PmuService::Stub> stub_;
};

TEST_F(RpcServerTest, GetHostTellsWhoAndWhat) {
  pmu::v1::GetHostResponse response;

  ASSERT_TRUE(Call(&PmuService::Stub::GetHost, pmu::v1::GetHostRequest(), &response).ok());

  const pmu::v1::Host& host = response.host();
  EXPECT_NE(host.hostname(), "");
  EXPECT_EQ(host.agent_instance(), "instance");
  EXPECT_EQ(host.backends(0).name(), "fake");
  EXPECT_EQ(host.limits().max_sessions(), 64u);
  EXPECT_GT(host.monotonic_ns(), 0);
}

TEST_F(RpcServerTest, ProbeClockIsOnTheMonotonicClock) {
  pmu::v1::ProbeClockResponse response;
  const int64_t before = SystemClock().MonotonicNs();

  ASSERT_TRUE(Call(&PmuService::Stub::ProbeClock, pmu::v1::ProbeClockRequest(), &response).ok());

  EXPECT_LE(before, response.receive_ns());
  EXPECT_LE(response.receive_ns(), response.send_ns());
  EXPECT_LE(response.send_ns(), SystemClock().MonotonicNs());
}

TEST_F(RpcServerTest, ListCountersPagesWithReasons) {
  pmu::v1::ListCountersRequest request;
  request.set_page_size(1);
  pmu::v1::ListCountersResponse first;
  pmu::v1::ListCountersResponse second;

  ASSERT_TRUE(Call(&PmuService::Stub::ListCounters, request, &first).ok());
  request.set_page_token(first.next_page_token());
  ASSERT_TRUE(Call(&PmuService::Stub::ListCounters, request, &second).ok());

  EXPECT_EQ(first.counters(0).name(), "cycles");
  EXPECT_TRUE(first.counters(0).available());
  EXPECT_EQ(first.total_size(), 2u);
  EXPECT_EQ(second.counters(0).name(), "mem-loads");
  EXPECT_FALSE(second.counters(0).available());
  EXPECT_EQ(second.counters(0).unavailable_reason(), "no PEBS here");
  EXPECT_EQ(second.next_page_token(), "");
  request.set_page_token("forged");
  EXPECT_EQ(Call(&PmuService::Stub::ListCounters, request, &first).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(RpcServerTest, AWholeMeasurement) {
  const pmu::v1::StartSessionResponse started = Start("cycles,mem-loads");
  ASSERT_THAT(started.events(), SizeIs(2));
  EXPECT_TRUE(started.events(0).supported());
  EXPECT_FALSE(started.events(1).supported());
  EXPECT_EQ(started.events(1).reason(), "no PEBS here");
  EXPECT_THAT(started.slots(), SizeIs(2));
  EXPECT_EQ(started.session().state(), pmu::v1::SESSION_STATE_ARMED);
  const std::string& id = started.session().id();

  pmu::v1::ReadRequest read;
  read.set_session_id(id);
  pmu::v1::ReadResponse armed;
  ASSERT_TRUE(Call(&PmuService::Stub::Read, read, &armed).ok());
  EXPECT_EQ(armed.state(), pmu::v1::SESSION_STATE_ARMED);
  EXPECT_THAT(armed.sample().state(), Each(pmu::v1::READING_STATE_NOT_COUNTED));

  const int64_t start = SystemClock().MonotonicNs() + 20'000'000;
  pmu::v1::TriggerRequest trigger;
  trigger.set_session_id(id);
  trigger.set_start_at_ns(start);
  pmu::v1::TriggerResponse triggered;
  ASSERT_TRUE(Call(&PmuService::Stub::Trigger, trigger, &triggered).ok());

  pmu::v1::StopResponse stopped;
  const int64_t stop = start + 20'000'000;
  ASSERT_TRUE(StopAt(id, stop, &stopped).ok());

  const pmu::v1::SessionTiming& timing = stopped.session().timing();
  EXPECT_EQ(stopped.session().state(), pmu::v1::SESSION_STATE_STOPPED);
  EXPECT_GE(timing.enable_begin_ns(), start);
  EXPECT_GE(timing.enable_end_ns(), timing.enable_begin_ns());
  EXPECT_GE(timing.disable_begin_ns(), stop);
  EXPECT_GE(stopped.sample().begin_ns(), timing.disable_end_ns());
  EXPECT_EQ(stopped.sample().raw_count(0), 100u);
  EXPECT_EQ(stopped.sample().state(1), pmu::v1::READING_STATE_COUNTED);
  EXPECT_THAT(backend_->log(),
              ::testing::ElementsAre("open 1", "enable", "disable", "read", "close"));
}

TEST_F(RpcServerTest, StopIsIdempotent) {
  const std::string id = Start("cycles", true).session().id();
  pmu::v1::StopResponse first;
  pmu::v1::StopResponse second;

  ASSERT_TRUE(StopAt(id, 0, &first).ok());
  ASSERT_TRUE(StopAt(id, 0, &second).ok());

  EXPECT_EQ(first.SerializeAsString(), second.SerializeAsString());
}

TEST_F(RpcServerTest, OtherCallsAreServedWhileAStopWaits) {
  const std::string id = Start("cycles", true).session().id();
  pmu::v1::StopResponse stopped;
  std::thread waiting([&] {
    EXPECT_TRUE(StopAt(id, SystemClock().MonotonicNs() + 3'600'000'000'000, &stopped).ok());
  });

  pmu::v1::ReadRequest read;
  read.set_session_id(id);
  pmu::v1::ReadResponse response;
  EXPECT_TRUE(Call(&PmuService::Stub::Read, read, &response).ok());
  EXPECT_EQ(response.state(), pmu::v1::SESSION_STATE_RUNNING);
  pmu::v1::StopResponse now;
  // Only a stop that comes after the planned one shows that it overtakes it.
  ASSERT_TRUE(integration::WaitUntil([&] {
    pmu::v1::ListSessionsResponse list;
    Call(&PmuService::Stub::ListSessions, pmu::v1::ListSessionsRequest(), &list);
    return list.sessions_size() == 1 && list.sessions(0).timing().planned_stop_ns() != 0;
  }));
  EXPECT_TRUE(StopAt(id, 0, &now).ok());
  waiting.join();

  EXPECT_EQ(stopped.sample().sequence(), now.sample().sequence());
}

TEST_F(RpcServerTest, ACancelledStopIsAnsweredAndStaysPlanned) {
  const std::string id = Start("cycles", true).session().id();
  pmu::v1::StopRequest request;
  request.set_session_id(id);
  request.set_stop_at_ns(SystemClock().MonotonicNs() + 300'000'000);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
  pmu::v1::StopResponse ignored;

  EXPECT_EQ(stub_->Stop(&context, request, &ignored).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);

  pmu::v1::StopResponse stopped;
  ASSERT_TRUE(Call(&PmuService::Stub::Stop, request, &stopped).ok());
  EXPECT_EQ(stopped.session().timing().planned_stop_ns(), request.stop_at_ns());
  EXPECT_EQ(stopped.session().state(), pmu::v1::SESSION_STATE_STOPPED);
}

TEST_F(RpcServerTest, ErrorsComeWithTheirCode) {
  pmu::v1::ReadRequest read;
  read.set_session_id("s-0000000000000000");
  pmu::v1::ReadResponse read_response;
  const grpc::Status unknown = Call(&PmuService::Stub::Read, read, &read_response);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("s-0000000000000000"));

  pmu::v1::StartSessionRequest start;
  start.mutable_spec()->set_events("cycles,{");
  pmu::v1::StartSessionResponse started;
  EXPECT_EQ(Call(&PmuService::Stub::StartSession, start, &started).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);

  pmu::v1::StopResponse stopped;
  EXPECT_EQ(StopAt("", 0, &stopped).error_code(), grpc::StatusCode::NOT_FOUND);

  pmu::v1::RenewLeaseRequest renew;
  renew.set_session_id("s-1");
  pmu::v1::RenewLeaseResponse renewed;
  EXPECT_EQ(Call(&PmuService::Stub::RenewLease, renew, &renewed).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(RpcServerTest, RequestsAboveTheLimitAreRefused) {
  pmu::v1::StartSessionRequest start;
  start.mutable_spec()->set_events(std::string(size_t{2} << 20, 'a'));
  pmu::v1::StartSessionResponse started;

  EXPECT_EQ(Call(&PmuService::Stub::StartSession, start, &started).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(RpcServerTest, RenewLeaseAndListSessions) {
  const pmu::v1::StartSessionResponse started = Start("cycles");
  pmu::v1::RenewLeaseRequest renew;
  renew.set_session_id(started.session().id());
  pmu::v1::RenewLeaseResponse renewed;
  pmu::v1::ListSessionsResponse list;

  ASSERT_TRUE(Call(&PmuService::Stub::RenewLease, renew, &renewed).ok());
  ASSERT_TRUE(Call(&PmuService::Stub::ListSessions, pmu::v1::ListSessionsRequest(), &list).ok());

  EXPECT_GT(renewed.lease_expires_ns(), started.session().lease_expires_ns());
  ASSERT_THAT(list.sessions(), SizeIs(1));
  EXPECT_EQ(list.sessions(0).spec().client_id(), "test");
  EXPECT_EQ(list.sessions(0).descriptors(), 2u);
}

TEST_F(RpcServerTest, ManyCallsAtOnce) {
  const std::string id = Start("cycles", true).session().id();
  std::vector<std::future<bool>> calls;
  for (int thread = 0; thread < 8; ++thread) {
    calls.push_back(std::async(std::launch::async, [&] {
      pmu::v1::ReadRequest read;
      read.set_session_id(id);
      for (int i = 0; i < 200; ++i) {
        pmu::v1::ReadResponse response;
        if (!Call(&PmuService::Stub::Read, read, &response).ok()) return false;
        if (response.sample().raw_count_size() != 2) return false;
      }
      return true;
    }));
  }
  for (std::future<bool>& call : calls) EXPECT_TRUE(call.get());

  pmu::v1::StopResponse stopped;
  ASSERT_TRUE(StopAt(id, 0, &stopped).ok());
  EXPECT_EQ(stopped.sample().sequence(), 8 * 200 + 1u);
}

TEST_F(RpcServerTest, HealthChecksAreAnswered) {
  const auto health = grpc::health::v1::Health::NewStub(channel_);
  const auto check = [&](const std::string& service) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::health::v1::HealthCheckResponse response;
    const grpc::Status status = health->Check(&context, request, &response);
    return status.ok()
               ? grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response.status())
               : std::to_string(status.error_code());
  };

  EXPECT_EQ(check(""), "SERVING");
  EXPECT_EQ(check("pmu.v1.PmuService"), "SERVING");
  EXPECT_EQ(check("other"), std::to_string(grpc::StatusCode::NOT_FOUND));
}

TEST_F(RpcServerTest, HealthWatchersHearOfTheEnd) {
  const auto health = grpc::health::v1::Health::NewStub(channel_);
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext cancelled;
  auto first = health->Watch(&cancelled, request);
  ASSERT_TRUE(first->Read(&response));
  cancelled.TryCancel();
  EXPECT_EQ(first->Finish().error_code(), grpc::StatusCode::CANCELLED);

  grpc::ClientContext context;
  auto watch = health->Watch(&context, request);
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  std::thread shutdown([&] { server_->Shutdown(); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  shutdown.join();
}

// Sends bytes to a method that takes one message and answers with one, or to
// the first exchange of a stream; returns the bytes that come back.
std::string RawExchange(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                        const std::string& request) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  void* tag;
  bool ok;
  auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  const grpc::Slice slice(request);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  queue.Next(&tag, &ok);
  grpc::ByteBuffer response;
  call->Read(&response, nullptr);
  queue.Next(&tag, &ok);
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (ok && response.Dump(&slices).ok()) {
    for (const grpc::Slice& part : slices) {
      bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
    }
  }
  call->WritesDone(nullptr);
  queue.Next(&tag, &ok);
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return bytes;
}

TEST_F(RpcServerTest, ReflectionNamesTheServices) {
  // ServerReflectionRequest{list_services: ""}, field 7.
  const std::string services =
      RawExchange(channel_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                  std::string("\x3a\x00", 2));

  EXPECT_THAT(services, HasSubstr("pmu.v1.PmuService"));
  EXPECT_THAT(services, HasSubstr("grpc.health.v1.Health"));
  EXPECT_THAT(services, HasSubstr("grpc.channelz.v1.Channelz"));
}

TEST_F(RpcServerTest, ChannelzKnowsTheServer) {
  const std::string servers =
      RawExchange(channel_, "/grpc.channelz.v1.Channelz/GetServers", std::string());

  EXPECT_THAT(servers, HasSubstr("127.0.0.1"));
}

TEST_F(RpcServerTest, ShutdownEndsSessionsAndWaitingStops) {
  const std::string id = Start("cycles", true).session().id();
  pmu::v1::StopResponse ignored;
  std::future<grpc::StatusCode> waiting = std::async(std::launch::async, [&] {
    return StopAt(id, SystemClock().MonotonicNs() + 3'600'000'000'000, &ignored).error_code();
  });
  ASSERT_TRUE(integration::WaitUntil([&] {
    pmu::v1::ListSessionsResponse list;
    Call(&PmuService::Stub::ListSessions, pmu::v1::ListSessionsRequest(), &list);
    return list.sessions_size() == 1 && list.sessions(0).timing().planned_stop_ns() != 0;
  }));

  server_->Shutdown();

  EXPECT_EQ(waiting.get(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(backend_->open_sets(), 0);
}

TEST_F(RpcServerTest, AnAddressOthersReachNeedsInsecure) {
  const auto start = [&](bool insecure) {
    return RpcServer::Start(agent_.get(), {ParseListenAddress("0.0.0.0:0").value()}, insecure)
        .status();
  };

  EXPECT_EQ(start(false).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(start(false).message()), HasSubstr("--insecure"));
  EXPECT_TRUE(start(true).ok());
}

TEST_F(RpcServerTest, ASecondServerOnTheSamePortIsAnError) {
  const absl::Status status =
      RpcServer::Start(agent_.get(), {ParseListenAddress(server_->addresses()[0]).value()}, false)
          .status();

  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(RpcServerTest, ServesOnSeveralAddressesAndAUnixSocket) {
  const SocketDirectory directory;
  const std::string path = directory.socket_path();
  Serve({"127.0.0.1:0", "unix:" + path, "127.0.0.2:0"});
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0660u);
  ASSERT_THAT(server_->addresses(), SizeIs(3));

  for (const std::string& address : server_->addresses()) {
    Connect(address);
    pmu::v1::ProbeClockResponse response;
    EXPECT_TRUE(Call(&PmuService::Stub::ProbeClock, pmu::v1::ProbeClockRequest(), &response).ok())
        << address;
  }
  EXPECT_NE(server_->port(), 0);
  server_->Shutdown();
  EXPECT_NE(stat(path.c_str(), &info), 0) << "the socket goes with the server";
}

// Watch --------------------------------------------------------------------

class WatchTest : public RpcServerTest {
 protected:
  std::string StartWithInterval(int64_t interval_ns) {
    pmu::v1::StartSessionRequest request;
    request.mutable_spec()->set_events("cycles");
    request.mutable_spec()->set_client_id("watcher");
    request.mutable_spec()->set_interval_ns(interval_ns);
    request.set_start_now(true);
    pmu::v1::StartSessionResponse response;
    const grpc::Status status = Call(&PmuService::Stub::StartSession, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session().id();
  }

  // Watches until `enough` samples came, or the stream ended.
  struct Watched {
    std::vector<uint64_t> numbers;
    int messages = 0;
    bool ended = false;
    grpc::Status status;
  };
  Watched Watch(const std::string& id, uint64_t from, int64_t max_delay_ns, size_t enough) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    pmu::v1::WatchRequest request;
    request.set_session_id(id);
    request.set_from_number(from);
    request.set_max_delay_ns(max_delay_ns);
    auto reader = stub_->Watch(&context, request);
    Watched watched;
    pmu::v1::WatchResponse response;
    while (watched.numbers.size() < enough && reader->Read(&response)) {
      ++watched.messages;
      EXPECT_FALSE(response.has_gap());
      for (const auto& sample : response.samples()) watched.numbers.push_back(sample.number());
      watched.ended = watched.ended || response.has_ended();
    }
    if (watched.numbers.size() >= enough) context.TryCancel();
    watched.status = reader->Finish();
    return watched;
  }

  static constexpr int64_t kMillisecond = 1'000'000;
};

TEST_F(WatchTest, ResumesAtTheNextNumberAndEndsWithTheSession) {
  const std::string id = StartWithInterval(2 * kMillisecond);
  const Watched first = Watch(id, 0, 0, 5);
  ASSERT_EQ(first.numbers.size(), 5u);
  EXPECT_EQ(first.numbers.front(), 1u);

  std::future<Watched> rest =
      std::async(std::launch::async, [&] { return Watch(id, 6, 0, SIZE_MAX); });
  const Watched meanwhile = Watch(id, 6, 0, 5);  // a second watcher
  pmu::v1::StopResponse stopped;
  ASSERT_TRUE(StopAt(id, 0, &stopped).ok());

  const Watched last = rest.get();
  EXPECT_TRUE(last.ended);
  EXPECT_TRUE(last.status.ok()) << last.status.error_message();
  EXPECT_EQ(last.numbers.front(), 6u);
  EXPECT_EQ(last.numbers.back(), stopped.session().last_interval());
  EXPECT_EQ(meanwhile.numbers.front(), 6u);

  // The samples of a session that has ended can still be had.
  const Watched again = Watch(id, 0, 0, SIZE_MAX);
  EXPECT_EQ(again.numbers.front(), 1u);
  EXPECT_EQ(again.numbers.back(), last.numbers.back());
}

TEST_F(WatchTest, SendsSeveralSamplesInAMessage) {
  const std::string id = StartWithInterval(kMillisecond);
  const Watched watched = Watch(id, 0, 50 * kMillisecond, 150);
  EXPECT_GE(watched.numbers.size(), 150u);
  EXPECT_LT(watched.messages, 50);
}

TEST_F(WatchTest, RefusesWhatCannotBeWatched) {
  EXPECT_EQ(Watch("s-0", 0, 0, 1).status.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(Watch(Start("cycles").session().id(), 0, 0, 1).status.error_code(),
            grpc::FAILED_PRECONDITION);
  EXPECT_EQ(Watch(StartWithInterval(kMillisecond), 0, -1, 1).status.error_code(),
            grpc::INVALID_ARGUMENT);
}

TEST_F(WatchTest, TheEndOfTheAgentEndsTheStream) {
  const std::string id = StartWithInterval(kMillisecond);
  std::future<Watched> watched =
      std::async(std::launch::async, [&] { return Watch(id, 0, 0, SIZE_MAX); });
  Watch(id, 0, 0, 10);
  server_->Shutdown();
  EXPECT_TRUE(watched.get().ended);
}

}  // namespace
}  // namespace pmu::server
