// Watch over real sockets.
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "tests/server/service/rpc_server_fixture.h"

namespace pmu::server {
namespace {

using pmu::v1::PmuService;

class WatchMethodTest : public RpcServerTest {
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

TEST_F(WatchMethodTest, ResumesAtTheNextNumberAndEndsWithTheSession) {
  const std::string id = StartWithInterval(2 * kMillisecond);
  const Watched first = Watch(id, 0, 0, 5);
  ASSERT_GE(first.numbers.size(), 5u);
  const uint64_t next = first.numbers.back() + 1;

  std::future<Watched> rest =
      std::async(std::launch::async, [&] { return Watch(id, next, 0, SIZE_MAX); });
  const Watched meanwhile = Watch(id, next, 0, 5);  // a second watcher
  pmu::v1::StopResponse stopped;
  ASSERT_TRUE(StopAt(id, 0, &stopped).ok());

  const Watched last = rest.get();
  EXPECT_TRUE(last.ended);
  EXPECT_TRUE(last.status.ok()) << last.status.error_message();
  EXPECT_EQ(last.numbers.back(), stopped.session().last_interval());
  EXPECT_EQ(meanwhile.numbers.front(), last.numbers.front());

  // The samples of a session that has ended can still be had: none was lost
  // between the calls, and none told twice.
  const Watched again = Watch(id, 0, 0, SIZE_MAX);
  std::vector<uint64_t> all = first.numbers;
  all.insert(all.end(), last.numbers.begin(), last.numbers.end());
  EXPECT_EQ(again.numbers, all);
}

TEST_F(WatchMethodTest, SendsSeveralSamplesInAMessage) {
  const std::string id = StartWithInterval(kMillisecond);
  const Watched watched = Watch(id, 0, 50 * kMillisecond, 150);
  EXPECT_GE(watched.numbers.size(), 150u);
  EXPECT_LT(watched.messages, 50);
}

TEST_F(WatchMethodTest, RefusesWhatCannotBeWatched) {
  EXPECT_EQ(Watch("s-0", 0, 0, 1).status.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(Watch(Start("cycles").session().id(), 0, 0, 1).status.error_code(),
            grpc::FAILED_PRECONDITION);
  EXPECT_EQ(Watch(StartWithInterval(kMillisecond), 0, -1, 1).status.error_code(),
            grpc::INVALID_ARGUMENT);
}

TEST_F(WatchMethodTest, TheEndOfTheAgentEndsTheStream) {
  const std::string id = StartWithInterval(kMillisecond);
  std::future<Watched> watched =
      std::async(std::launch::async, [&] { return Watch(id, 0, 0, SIZE_MAX); });
  Watch(id, 0, 0, 10);
  server_->Shutdown();
  EXPECT_TRUE(watched.get().ended);
}

}  // namespace
}  // namespace pmu::server
