// What list, hosts and --dry-run print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/cli/dry_run_report.h"
#include "client/cli/hosts_report.h"
#include "client/cli/list_report.h"
#include "tests/client/report/golden.h"

namespace pmu::cli {
namespace {

using client::Golden;
using ::testing::HasSubstr;
using ::testing::Not;

pmu::v1::Counter Counter(const std::string& name, const std::string& description) {
  pmu::v1::Counter counter;
  counter.set_name(name);
  counter.set_backend("perf_event");
  counter.set_description(description);
  counter.set_scale(1);
  counter.set_kind(pmu::v1::COUNTER_KIND_DELTA);
  counter.set_domain(pmu::v1::COUNTER_DOMAIN_CPU);
  counter.set_combine(pmu::v1::COMBINE_RULE_SUM);
  counter.set_available(true);
  return counter;
}

client::CounterListing Listing(const std::string& host, std::vector<pmu::v1::Counter> counters) {
  return {host, absl::OkStatus(), std::move(counters)};
}

pmu::v1::Counter Unavailable() {
  pmu::v1::Counter counter = Counter("cycles", "CPU cycles");
  counter.set_available(false);
  counter.set_unavailable_reason("open of 'cycles': no PMU");
  return counter;
}

TEST(ListReportTest, EqualListsAreShownOnceWithoutHosts) {
  const std::vector<client::CounterListing> listings = {
      Listing("a", {Counter("page-faults", "faults"), Unavailable()}),
      Listing("b", {Counter("page-faults", "faults"), Unavailable()})};

  EXPECT_EQ(ListTable(listings, absl::nullopt), Golden(R"(
counter      unit  kind   scope  usable   what it counts
page-faults        delta  cpu    yes      faults
cycles             delta  cpu    no [1]   CPU cycles

[1] open of 'COUNTER': no PMU
)"));
}

TEST(ListReportTest, WhereHostsDifferTheyAreNamed) {
  const std::vector<client::CounterListing> listings = {
      Listing("n1", {Counter("page-faults", "faults"), Counter("cycles", "CPU cycles")}),
      Listing("n2", {Counter("page-faults", "faults"), Counter("cycles", "CPU cycles")}),
      Listing("n3", {Counter("page-faults", "faults"), Unavailable()}),
      {"n4", absl::UnavailableError("refused"), {}}};

  EXPECT_EQ(ListTable(listings, absl::nullopt), Golden(R"(
counter      unit  kind   scope  usable   hosts      what it counts
page-faults        delta  cpu    yes      all hosts  faults
cycles             delta  cpu    yes      n[1-2]     CPU cycles
cycles             delta  cpu    no [1]   n3         CPU cycles

[1] open of 'COUNTER': no PMU
)"));
}

TEST(ListReportTest, LinesAreCutOnlyWhenAsked) {
  const std::vector<client::CounterListing> listings = {
      Listing("a", {Counter("x", std::string(200, 'd'))})};

  EXPECT_THAT(ListTable(listings, 80), HasSubstr("d...\n"));
  EXPECT_THAT(ListTable(listings, absl::nullopt), HasSubstr(std::string(200, 'd') + "\n"));
}

TEST(ListReportTest, JsonHasEveryFieldAndTheHosts) {
  const auto json = nlohmann::json::parse(
      ListJson({Listing("a", {Unavailable()}), {"b", absl::UnavailableError("refused"), {}}}));

  EXPECT_EQ(json["schema"], "pmu.list/1");
  EXPECT_EQ(json["hosts"][1]["status"]["code"], "UNAVAILABLE");
  const auto& counter = json["counters"][0];
  EXPECT_EQ(counter["name"], "cycles");
  EXPECT_EQ(counter["kind"], "delta");
  EXPECT_EQ(counter["domain"], "cpu");
  EXPECT_EQ(counter["combine"], "sum");
  EXPECT_EQ(counter["available"], false);
  EXPECT_EQ(counter["unavailable_reason"], "open of 'cycles': no PMU");
  EXPECT_TRUE(counter["width_bits"].is_null());
  EXPECT_EQ(counter["hosts"], nlohmann::json({"a"}));
}

client::HostAnswer Answer(const std::string& name) {
  client::HostAnswer answer;
  answer.host = name;
  answer.identity.set_agent_version("0.1.0");
  answer.identity.set_kernel_release("6.1.0-18-amd64");
  answer.identity.set_online_cpus("0-3");
  answer.identity.set_cpu_model("A CPU @ 2 GHz");
  answer.clock = client::ClockOffset{-1'500'000'000, 60'000, 0};
  answer.round_trip = absl::Microseconds(120);
  pmu::v1::Backend* backend = answer.identity.add_backends();
  backend->set_name("perf_event");
  backend->set_available(true);
  pmu::v1::Pmu* pmu = backend->add_pmus();
  pmu->set_name("cpu");
  pmu->set_health(pmu::v1::PMU_HEALTH_IMPLAUSIBLE);
  pmu->set_note("cycles stay 0");
  backend->add_pmus()->set_name("software");
  return answer;
}

TEST(HostsReportTest, TableFoldsWhatIsEqual) {
  std::vector<client::HostAnswer> answers = {Answer("n1"), Answer("n2"), Answer("n3")};
  answers[2].status = absl::UnavailableError("n3: connection refused");

  EXPECT_EQ(HostsTable(answers, 100), Golden(R"(
host  agent  kernel          cpus  clock offset        +-  round trip  CPU model
n1    0.1.0  6.1.0-18-amd64  0-3    -1.500000 s  0.060 ms    0.120 ms  A CPU @ 2 GHz
n2    0.1.0  6.1.0-18-amd64  0-3    -1.500000 s  0.060 ms    0.120 ms  A CPU @ 2 GHz
n3    -

all hosts: perf_event: cpu (implausible: cycles stay 0), software

2 of 3 hosts answered; failed:
  n3: UNAVAILABLE: connection refused
)"));
}

TEST(HostsReportTest, InNarrowTerminalsTheModelsGoBelow) {
  const std::string table = HostsTable({Answer("n1"), Answer("n2")}, 80);

  EXPECT_THAT(table, HasSubstr("\nall hosts: A CPU @ 2 GHz\n"));
  EXPECT_THAT(table, Not(HasSubstr("CPU model")));
}

TEST(HostsReportTest, NobodyThereNeedsNoTable) {
  client::HostAnswer answer;
  answer.host = "n1";
  answer.status = absl::UnavailableError("refused");

  EXPECT_EQ(HostsTable({answer}, 80),
            "0 of 1 hosts answered; failed:\n  n1: UNAVAILABLE: refused\n");
}

TEST(HostsReportTest, Json) {
  std::vector<client::HostAnswer> answers = {Answer("n1"), Answer("n2")};
  answers[1].status = absl::UnavailableError("refused");
  answers[1].clock.reset();

  const auto json = nlohmann::json::parse(HostsJson(answers));

  EXPECT_EQ(json["schema"], "pmu.hosts/1");
  EXPECT_EQ(json["hosts"][0]["clock"]["offset_ns"], "-1500000000");
  EXPECT_EQ(json["hosts"][0]["round_trip_ns"], "120000");
  EXPECT_EQ(json["hosts"][0]["identity"]["backends"][0]["pmus"][0]["health"], "implausible");
  EXPECT_TRUE(json["hosts"][0]["identity"]["perf_event_paranoid"].is_null());
  EXPECT_TRUE(json["hosts"][1]["identity"].is_null());
  EXPECT_TRUE(json["hosts"][1]["round_trip_ns"].is_null());
}

client::HostResult Resolved(const std::string& name, uint64_t config, bool supported) {
  client::EventResult event;
  event.event.set_text("cycles:u");
  event.event.set_backend("perf_event");
  event.event.set_pmu("cpu");
  event.event.mutable_encoding()->set_type(4);
  event.event.mutable_encoding()->set_config(config);
  event.event.mutable_encoding()->set_exclude_kernel(true);
  event.event.mutable_encoding()->set_exclude_hv(true);
  for (const uint32_t cpu : {0, 1, 2, 8}) event.event.add_cpus(cpu);
  event.event.set_supported(supported);
  if (!supported) event.event.set_reason("no PMU in this virtual machine");
  client::HostResult host;
  host.host = name;
  host.events = {event};
  return host;
}

TEST(DryRunReportTest, EqualAnswersShareALine) {
  client::MeasurementResult result;
  result.requested_events = {"cycles:u"};
  result.hosts = {Resolved("n1", 0x3c, true), Resolved("n2", 0x3c, true),
                  Resolved("n3", 0x76, true), Resolved("n4", 0, false)};
  result.hosts.push_back({});
  result.hosts[4].host = "n5";
  result.hosts[4].status = absl::UnavailableError("connection refused");

  EXPECT_EQ(DryRunTable(result, 100), Golden(R"(
event         hosts   pmu  type  config  config1  config2  excluded   cpus
cycles:u      n[1-2]  cpu     4    0x3c      0x0      0x0  kernel,hv  0-2,8
cycles:u      n3      cpu     4    0x76      0x0      0x0  kernel,hv  0-2,8
cycles:u [1]  n4      cpu     -       -        -        -  -          -

[1] cycles:u: not supported: no PMU in this virtual machine

4 of 5 hosts answered; failed:
  n5: UNAVAILABLE: connection refused
)"));
  EXPECT_FALSE(DryRunIsComplete(result));
}

TEST(DryRunReportTest, HostsThatAgreeNeedNoColumn) {
  client::MeasurementResult result;
  result.requested_events = {"cycles:u"};
  result.hosts = {Resolved("n1", 0x3c, true), Resolved("n2", 0x3c, true)};

  EXPECT_EQ(DryRunTable(result, 100), Golden(R"(
event     pmu  type  config  config1  config2  excluded   cpus
cycles:u  cpu     4    0x3c      0x0      0x0  kernel,hv  0-2,8

the same on all 2 hosts
)"));
  EXPECT_TRUE(DryRunIsComplete(result));
}

TEST(DryRunReportTest, JsonKeepsEveryBitOfAConfig) {
  client::MeasurementResult result;
  result.requested_events = {"cycles:u"};
  result.hosts = {Resolved("n1", 56320275519635766, true)};

  const auto json = nlohmann::json::parse(DryRunJson(result));

  EXPECT_EQ(json["schema"], "pmu.dry-run/1");
  EXPECT_EQ(json["complete"], true);
  const auto& counter = json["hosts"][0]["counters"][0];
  EXPECT_EQ(counter["encoding"]["config"], "56320275519635766");
  EXPECT_EQ(counter["encoding"]["exclude_kernel"], true);
  EXPECT_EQ(counter["cpus"], nlohmann::json({0, 1, 2, 8}));
}

}  // namespace
}  // namespace pmu::cli
