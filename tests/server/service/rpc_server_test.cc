// The RPCs over real sockets, with a backend without hardware.
#include "server/service/rpc_server.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
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
#include "proto/pmu/v1/service.grpc.pb.h"
#include "tests/integration/process.h"
#include "tests/server/service/rpc_server_fixture.h"
#include "tests/server/socket_directory.h"

namespace pmu::server {
namespace {

using pmu::v1::PmuService;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

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

}  // namespace
}  // namespace pmu::server
