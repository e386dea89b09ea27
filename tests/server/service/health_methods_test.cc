// grpc.health.v1 over real sockets.
#include <memory>
#include <string>
#include <thread>

#include "proto/grpc/health/v1/health.grpc.pb.h"
#include "tests/server/service/rpc_server_fixture.h"

namespace pmu::server {
namespace {

using HealthMethodsTest = RpcServerTest;

TEST_F(HealthMethodsTest, HealthChecksAreAnswered) {
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

TEST_F(HealthMethodsTest, HealthWatchersHearOfTheEnd) {
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

}  // namespace
}  // namespace pmu::server
