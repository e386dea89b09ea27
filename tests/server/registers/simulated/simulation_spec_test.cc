#include "server/registers/simulated/simulation_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Error(const char* text) {
  const absl::Status status = ParseSimulationSpec(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

TEST(ParseSimulationSpecTest, ModelAlone) {
  absl::StatusOr<SimulationSpec> spec = ParseSimulationSpec("cci400-r1");

  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->model, SimulationModel::kCci400R1);
  EXPECT_FALSE(spec->seed.has_value());
}

TEST(ParseSimulationSpecTest, AllKindsOfKeys) {
  absl::StatusOr<SimulationSpec> spec = ParseSimulationSpec(
      "p6:seed=7,cycles=2500M,event.0xc0=1G,stuck=0xc1,fault=0xc2@1,preset.0x186=0x4300c0,"
      "busy.1=50,offline=3");

  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->seed, 7u);
  EXPECT_EQ(spec->cycles_hz, 2'500'000'000u);
  EXPECT_EQ(spec->event_hz.at(0xc0), 1'000'000'000u);
  ASSERT_EQ(spec->stuck.size(), 1u);
  EXPECT_EQ(spec->stuck[0].address, 0xc1u);
  EXPECT_EQ(spec->stuck[0].cpu, -1);
  EXPECT_EQ(spec->fault[0].cpu, 1);
  EXPECT_EQ(spec->preset.at(0x186), 0x4300c0u);
  EXPECT_EQ(spec->busy_percent_of.at(1), 50u);
  EXPECT_EQ(spec->offline[0], 3);
}

TEST(ParseSimulationSpecTest, Durations) {
  absl::StatusOr<SimulationSpec> spec = ParseSimulationSpec("smi:period=10ms,duration=200us");

  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->period_ns, 10'000'000u);
  EXPECT_EQ(spec->duration_ns, 200'000u);
}

TEST(ParseSimulationSpecTest, UnknownModelListsTheKnown) {
  EXPECT_THAT(Error("cci500"), AllOf(HasSubstr("\"cci500\" at position 1"), HasSubstr("cci400-r0"),
                                     HasSubstr("aperf-mperf"), HasSubstr("smi")));
  EXPECT_THAT(Error(""), HasSubstr("known:"));
}

TEST(ParseSimulationSpecTest, UnknownKeyListsTheKnownOfThatModel) {
  const std::string error = Error("cci400-r1:seed=1,sead=2");

  EXPECT_THAT(error, AllOf(HasSubstr("\"sead\" at position 18"), HasSubstr("known: seed"),
                           HasSubstr("niden"), Not(HasSubstr("freeze-file"))));
}

TEST(ParseSimulationSpecTest, RefusesKeysOfOtherModels) {
  EXPECT_THAT(Error("p5:niden=0"), HasSubstr("not a key of p5"));
  EXPECT_THAT(Error("cci400-r1:cpus=2"), HasSubstr("not a key of cci400-r1"));
  EXPECT_THAT(Error("aperf-mperf:period=1s"), HasSubstr("not a key of aperf-mperf"));
}

TEST(ParseSimulationSpecTest, RefusesBadValues) {
  EXPECT_THAT(Error("p6:cpus=0"), HasSubstr("from 1 to 256"));
  EXPECT_THAT(Error("p6:jitter=91"), HasSubstr("from 0 to 90"));
  EXPECT_THAT(Error("p6:seed=99999999999999999999"), HasSubstr("\"seed=9"));
  EXPECT_THAT(Error("p6:seed=20000000000G"), HasSubstr("expected a number"));
  EXPECT_THAT(Error("p6:seed"), HasSubstr("expected key=value"));
  EXPECT_THAT(Error("p6:seed="), HasSubstr("expected key=value"));
  EXPECT_THAT(Error("p6:"), HasSubstr("position 4"));
  EXPECT_THAT(Error("p6:seed=1,,seed=2"), HasSubstr("position 11"));
  EXPECT_THAT(Error("p6:stuck=zz"), HasSubstr("register@cpu"));
  EXPECT_THAT(Error("p6:fault=0xc1@"), HasSubstr("register@cpu"));
  EXPECT_THAT(Error("smi:period=-1s"), HasSubstr("1ns to 24h"));
  EXPECT_THAT(Error("smi:period=inf"), HasSubstr("1ns to 24h"));
  EXPECT_THAT(Error("p6:busy.0=101"), HasSubstr("busy.CPU=PERCENT"));
}

}  // namespace
}  // namespace pmu::server
