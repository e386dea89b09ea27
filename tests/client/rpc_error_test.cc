#include "client/rpc_error.h"

#include <gtest/gtest.h>

namespace pmu::client {
namespace {

std::string Explain(absl::StatusCode code, const std::string& message, const std::string& target,
                    const std::string& proxy = "") {
  return std::string(
      ExplainRpcError(absl::Status(code, message), absl::Seconds(5), {target, proxy}).message());
}

TEST(RpcErrorTest, SaysWhatGrpcMeansInOneLine) {
  EXPECT_EQ(Explain(absl::StatusCode::kUnavailable,
                    "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: "
                    "Failed to connect to remote host: Connection refused",
                    "ipv4:127.0.0.1:1"),
            "connection refused (is pmud running on 127.0.0.1:1?)");
  EXPECT_EQ(Explain(absl::StatusCode::kUnavailable,
                    "DNS resolution failed for nowhere:50051: C-ares status is not ARES_SUCCESS "
                    "qtype=A name=nowhere is_balancer=0: Domain name not found",
                    "dns:///nowhere:50051"),
            "name not found (nowhere:50051)");
  EXPECT_EQ(
      Explain(absl::StatusCode::kDeadlineExceeded, "Deadline Exceeded", "ipv4:10.0.0.1:50051"),
      "no answer within 5s");
}

TEST(RpcErrorTest, NamesTheProxy) {
  EXPECT_EQ(Explain(absl::StatusCode::kDeadlineExceeded, "Deadline Exceeded", "dns:///a:50051",
                    "http://192.0.2.1:9 (from http_proxy)"),
            "no answer within 5s, through proxy http://192.0.2.1:9 (from http_proxy)");
}

TEST(RpcErrorTest, WhatTheAgentSaysPassesThrough) {
  EXPECT_EQ(Explain(absl::StatusCode::kInvalidArgument, "event 'cylces' at 1: unknown", "unix:/a"),
            "event 'cylces' at 1: unknown");
  EXPECT_EQ(Explain(absl::StatusCode::kUnavailable, "agent is stopping", "unix:/a"),
            "agent is stopping");
  EXPECT_EQ(Explain(absl::StatusCode::kResourceExhausted, "8 of 8 sessions in use", "unix:/a"),
            "8 of 8 sessions in use");
}

TEST(RpcErrorTest, TheCodeStays) {
  EXPECT_EQ(
      ExplainRpcError(absl::UnavailableError("Connection refused"), absl::Seconds(1), {}).code(),
      absl::StatusCode::kUnavailable);
}

TEST(RpcErrorTest, TargetsAreShownAsPeopleWriteThem) {
  EXPECT_EQ(TargetForPeople("dns:///a:1"), "a:1");
  EXPECT_EQ(TargetForPeople("ipv4:10.0.0.1:2"), "10.0.0.1:2");
  EXPECT_EQ(TargetForPeople("ipv6:[::1]:3"), "[::1]:3");
  EXPECT_EQ(TargetForPeople("unix:/run/pmud.sock"), "unix:/run/pmud.sock");
}

}  // namespace
}  // namespace pmu::client
