#include "server/spec_check.h"

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;
using Request = pmu::v1::StartSessionRequest;

Request Good() {
  Request request;
  request.mutable_spec()->set_events("cycles,{instructions,branches}:u");
  return request;
}

TEST(SpecCheckTest, TakesAFullRequest) {
  Request request = Good();
  request.set_idempotency_key(std::string(128, 'k'));
  request.set_start_now(true);
  pmu::v1::SessionSpec* spec = request.mutable_spec();
  spec->set_client_id(std::string(256, 'c'));
  spec->set_lease_ns(5'000'000'000);
  spec->mutable_target()->set_cpus("0-3,8");
  spec->mutable_target()->set_cgroup("web.slice");
  for (int i = 0; i < 16; ++i)
    (*spec->mutable_labels())[absl::StrCat("l", i)] = std::string(256, 'v');

  const absl::StatusOr<StartRequest> checked = CheckStartRequest(request, Limits());

  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->spec.events.size(), 3u);
  EXPECT_EQ(checked->spec.target.cpus, (CpuList{0, 1, 2, 3, 8}));
  EXPECT_EQ(checked->spec.lease_ns, 5'000'000'000);
  EXPECT_EQ(checked->spec.labels.size(), 16u);
  EXPECT_TRUE(checked->start_now);
}

TEST(SpecCheckTest, TheLeaseHasADefault) {
  EXPECT_EQ(CheckStartRequest(Good(), Limits())->spec.lease_ns, kDefaultLeaseNs);
}

struct Bad {
  const char* named;  // what the message must name
  std::function<void(Request*)> spoil;
};

TEST(SpecCheckTest, RefusesWhatIsBeyondTheLimitsAndNamesIt) {
  const Bad cases[] = {
      {"idempotency_key", [](Request* r) { r->set_idempotency_key(std::string(129, 'k')); }},
      {"client_id", [](Request* r) { r->mutable_spec()->set_client_id(std::string(257, 'c')); }},
      {"lease_ns", [](Request* r) { r->mutable_spec()->set_lease_ns(-1); }},
      {"lease_ns", [](Request* r) { r->mutable_spec()->set_lease_ns(INT64_MIN); }},
      {"lease_ns", [](Request* r) { r->mutable_spec()->set_lease_ns(3'600'000'000'001); }},
      {"lease_ns", [](Request* r) { r->mutable_spec()->set_lease_ns(INT64_MAX); }},
      {"17 entries",
       [](Request* r) {
         for (int i = 0; i < 17; ++i) (*r->mutable_spec()->mutable_labels())[absl::StrCat(i)] = "";
       }},
      {"key of labels",
       [](Request* r) { (*r->mutable_spec()->mutable_labels())[std::string(257, 'k')] = ""; }},
      {"\"k\"",
       [](Request* r) { (*r->mutable_spec()->mutable_labels())["k"] = std::string(257, 'v'); }},
      {"target.pid", [](Request* r) { r->mutable_spec()->mutable_target()->set_pid(-4); }},
      {"both pid and cgroup",
       [](Request* r) {
         r->mutable_spec()->mutable_target()->set_pid(4);
         r->mutable_spec()->mutable_target()->set_cgroup("a");
       }},
      {"both pid and cpus",
       [](Request* r) {
         r->mutable_spec()->mutable_target()->set_pid(4);
         r->mutable_spec()->mutable_target()->set_cpus("0");
       }},
      {"target.cpus", [](Request* r) { r->mutable_spec()->mutable_target()->set_cpus("0-"); }},
      {"target.cpus",
       [](Request* r) { r->mutable_spec()->mutable_target()->set_cpus("0-99999999"); }},
      {"target.cpus",
       [](Request* r) {
         r->mutable_spec()->mutable_target()->set_cpus(std::string(kMaxCpuListBytes + 1, '1'));
       }},
      {"target.cgroup",
       [](Request* r) {
         r->mutable_spec()->mutable_target()->set_cgroup(std::string(kMaxCgroupBytes + 1, 'g'));
       }},
      {"zero byte",
       [](Request* r) { r->mutable_spec()->mutable_target()->set_cgroup(std::string("a\0b", 3)); }},
      {"position", [](Request* r) { r->mutable_spec()->set_events("cycles,,"); }},
  };
  for (const Bad& bad : cases) {
    Request request = Good();
    bad.spoil(&request);
    const absl::Status status = CheckStartRequest(request, Limits()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.named;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.named));
  }
}

TEST(SpecCheckTest, AnEmptyRequestIsRefused) {
  EXPECT_EQ(CheckStartRequest(Request(), Limits()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SpecCheckTest, TheSwitchIsPassedOn) {
  Request request = Good();
  EXPECT_FALSE(CheckStartRequest(request, Limits())->spec.freeze_on_smi);
  request.mutable_spec()->set_freeze_on_smi(true);

  EXPECT_TRUE(CheckStartRequest(request, Limits())->spec.freeze_on_smi);
}

}  // namespace
}  // namespace pmu::server
