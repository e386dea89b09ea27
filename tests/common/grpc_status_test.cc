#include "common/grpc_status.h"

#include "gtest/gtest.h"

namespace pmu {
namespace {

TEST(GrpcStatusTest, OkIsOk) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpcStatus(grpc::Status::OK).ok());
}

// Every code that both sides name, by name: the numbers are shared, and this
// is what says so.
TEST(GrpcStatusTest, CodesAndMessagesSurvive) {
  const struct {
    absl::StatusCode ours;
    grpc::StatusCode theirs;
  } kCodes[] = {
      {absl::StatusCode::kCancelled, grpc::CANCELLED},
      {absl::StatusCode::kUnknown, grpc::UNKNOWN},
      {absl::StatusCode::kInvalidArgument, grpc::INVALID_ARGUMENT},
      {absl::StatusCode::kDeadlineExceeded, grpc::DEADLINE_EXCEEDED},
      {absl::StatusCode::kNotFound, grpc::NOT_FOUND},
      {absl::StatusCode::kAlreadyExists, grpc::ALREADY_EXISTS},
      {absl::StatusCode::kPermissionDenied, grpc::PERMISSION_DENIED},
      {absl::StatusCode::kResourceExhausted, grpc::RESOURCE_EXHAUSTED},
      {absl::StatusCode::kFailedPrecondition, grpc::FAILED_PRECONDITION},
      {absl::StatusCode::kAborted, grpc::ABORTED},
      {absl::StatusCode::kOutOfRange, grpc::OUT_OF_RANGE},
      {absl::StatusCode::kUnimplemented, grpc::UNIMPLEMENTED},
      {absl::StatusCode::kInternal, grpc::INTERNAL},
      {absl::StatusCode::kUnavailable, grpc::UNAVAILABLE},
      {absl::StatusCode::kDataLoss, grpc::DATA_LOSS},
      {absl::StatusCode::kUnauthenticated, grpc::UNAUTHENTICATED},
  };
  for (const auto& code : kCodes) {
    const grpc::Status theirs = ToGrpcStatus(absl::Status(code.ours, "cpu 3: busy"));
    EXPECT_EQ(theirs.error_code(), code.theirs);
    EXPECT_EQ(theirs.error_message(), "cpu 3: busy");

    const absl::Status ours = FromGrpcStatus(grpc::Status(code.theirs, "cpu 3: busy"));
    EXPECT_EQ(ours.code(), code.ours);
    EXPECT_EQ(ours.message(), "cpu 3: busy");
  }
}

}  // namespace
}  // namespace pmu
