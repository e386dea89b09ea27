// Every class, on simulated registers: counts are the model's to the unit.
#include "server/backends/x86_pmc/x86_pmc_backend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/backends/x86_pmc/x86_pmc_fixture.h"

namespace pmu::server {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

struct ClassCase {
  const char* spec;
  const char* class_name;
  int counters;
};

class EveryClass : public ::testing::TestWithParam<ClassCase> {};

INSTANTIATE_TEST_SUITE_P(
    X86Pmc, EveryClass,
    ::testing::Values(ClassCase{"p5:cpus=2,rate=10M", "i586", 2},
                      ClassCase{"p6:cpus=2,rate=10M", "i686", 2},
                      ClassCase{"arch-perfmon:cpus=2,rate=10M", "architectural", 4},
                      ClassCase{"arch-perfmon:cpus=2,rate=10M,version=1", "architectural", 4},
                      ClassCase{"amd:cpus=2,rate=10M", "amd", 6},
                      ClassCase{"amd:cpus=2,rate=10M,counters=4", "amd", 4}));

TEST_P(EveryClass, IsDetectedAndPublished) {
  SimulatedX86 machine({GetParam().spec});

  const BackendInfo info = machine.backend->Describe();

  EXPECT_TRUE(info.availability.ok()) << info.availability;
  EXPECT_TRUE(info.simulated);
  EXPECT_EQ(info.facts[0].name, "class");
  EXPECT_EQ(info.facts[0].text, GetParam().class_name);
  EXPECT_EQ(info.facts[1].number, GetParam().counters);
  EXPECT_EQ(info.facts[2].name, "has-tsc");
  EXPECT_EQ(info.facts[2].number, 1);
}

TEST_P(EveryClass, CountsExactlyWhatTheModelCounts) {
  SimulatedX86 machine({GetParam().spec});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/,x86_pmc/event=0x3/");
  ASSERT_TRUE(set->Enable().ok());
  machine.clock.Advance(kSecondNs);
  ASSERT_TRUE(set->Disable().ok());
  machine.clock.Advance(kSecondNs);  // counts no more

  const auto readings = ReadSet(*set);

  ASSERT_EQ(readings.size(), 4u);
  EXPECT_THAT(readings, Each(Field(&RawReading::raw_count, 10'000'000u)));
  EXPECT_THAT(readings, Each(Field(&RawReading::enabled_ns, kSecondNs)));
  EXPECT_THAT(readings, Each(Field(&RawReading::state, ReadingState::kCounted)));
  EXPECT_THAT(readings, Each(Field(&RawReading::tsc_cycles, 2'000'000'000u)));
}

TEST_P(EveryClass, UserAndKernelAddUpToBoth) {
  SimulatedX86 machine({GetParam().spec});
  const auto count = [&](const char* text) {
    auto set = OpenSet(*machine.backend, text, {0});
    EXPECT_TRUE(set->Enable().ok());
    machine.clock.Advance(kSecondNs);
    EXPECT_TRUE(set->Disable().ok());
    return ReadSet(*set)[0].raw_count;
  };

  EXPECT_EQ(count("x86_pmc/event=0x2/u"), 7'000'000u);
  EXPECT_EQ(count("x86_pmc/event=0x2/k"), 3'000'000u);
  EXPECT_EQ(count("x86_pmc/event=0x2/ku"), 10'000'000u);
}

TEST_P(EveryClass, EveryCounterAtOnceAndNoMore) {
  SimulatedX86 machine({GetParam().spec});
  std::string events = "x86_pmc/event=0x2/";
  for (int i = 0; i < GetParam().counters; ++i) events += ",x86_pmc/event=0x3/";
  auto set = OpenSet(*machine.backend, events, {1});

  for (int i = 0; i < GetParam().counters; ++i) EXPECT_TRUE(set->slots()[i].status.ok()) << i;
  const absl::Status last = set->slots()[GetParam().counters].status;
  EXPECT_TRUE(absl::IsResourceExhausted(last)) << last;
  EXPECT_THAT(Message(last), HasSubstr("CPU 1: no counter is left"));
  ASSERT_TRUE(set->Enable().ok());
  machine.clock.Advance(kSecondNs);
  const auto readings = ReadSet(*set);
  EXPECT_EQ(readings[0].raw_count, 10'000'000u);
  EXPECT_EQ(readings[GetParam().counters - 1].raw_count, 10'000'000u);
  EXPECT_EQ(readings[GetParam().counters].state, ReadingState::kNotSupported);
}

// Whatever a session did, and however it ended.
TEST_P(EveryClass, TheRegistersAreAsBefore) {
  SimulatedX86 machine({GetParam().spec});
  const PmcModel model = DetectPmcModel(IdentifyCpu(*machine.machine->cpus()), kFullWidthWritesBit);
  std::vector<uint32_t> registers;
  for (int i = 0; i < model.counters; ++i) {
    registers.push_back(model.SelectRegister(i));
    registers.push_back(model.CounterRegister(i));
  }
  if (model.has_global_control()) registers.push_back(kGlobalControlRegister);
  MsrDevice& cpus = *machine.machine->cpus();
  ASSERT_TRUE(cpus.Write(0, model.CounterWriteRegister(1), 0x123456).ok());
  const auto all = [&] {
    std::vector<uint64_t> contents;
    for (const uint32_t reg : registers) contents.push_back(machine.Register(reg));
    return contents;
  };
  const auto before = all();
  const std::string events = "x86_pmc/event=0x2,counter=1/,x86_pmc/event=0x3/";

  { auto armed = OpenSet(*machine.backend, events); }
  EXPECT_EQ(all(), before);
  {
    auto running = OpenSet(*machine.backend, events);
    ASSERT_TRUE(running->Enable().ok());
    machine.clock.Advance(kSecondNs);
  }
  EXPECT_EQ(all(), before);
  {
    auto stopped = OpenSet(*machine.backend, events);
    ASSERT_TRUE(stopped->Enable().ok());
    machine.clock.Advance(kSecondNs);
    ASSERT_TRUE(stopped->Disable().ok());
  }
  EXPECT_EQ(all(), before);
}

// Two sessions share registers (CESR, P6's enable bit, the global control):
// neither starts, stops or restores the other's counter.
TEST_P(EveryClass, OverlappingSessionsDoNotDisturbEachOther) {
  SimulatedX86 machine({GetParam().spec});
  auto first = OpenSet(*machine.backend, "x86_pmc/event=0x2/", {0});
  auto second = OpenSet(*machine.backend, "x86_pmc/event=0x3/", {0});
  ASSERT_TRUE(first->Enable().ok());
  machine.clock.Advance(kSecondNs);
  EXPECT_EQ(ReadSet(*second)[0].state, ReadingState::kNotCounted);
  ASSERT_TRUE(second->Enable().ok());
  machine.clock.Advance(kSecondNs);

  ASSERT_TRUE(first->Disable().ok());
  EXPECT_EQ(ReadSet(*first)[0].raw_count, 20'000'000u);
  first.reset();
  machine.clock.Advance(kSecondNs);

  const auto of_second = ReadSet(*second);
  EXPECT_EQ(of_second[0].raw_count, 20'000'000u);
  EXPECT_EQ(of_second[0].state, ReadingState::kCounted);
  second.reset();
  // Nothing runs any more, and the counters are free again.
  auto third =
      OpenSet(*machine.backend, "x86_pmc/event=0x2,counter=0/,x86_pmc/event=0x2,counter=1/", {0});
  EXPECT_TRUE(third->slots()[0].status.ok());
  EXPECT_TRUE(third->slots()[1].status.ok());
}

TEST_P(EveryClass, OneSessionHasTheCountersThatTheOtherWants) {
  SimulatedX86 machine({GetParam().spec});
  std::string all_events = "x86_pmc/event=0x2/";
  for (int i = 1; i < GetParam().counters; ++i) all_events += ",x86_pmc/event=0x2/";
  auto first = OpenSet(*machine.backend, all_events, {0});
  auto second = OpenSet(*machine.backend, "x86_pmc/event=0x3/", {0});

  EXPECT_TRUE(absl::IsResourceExhausted(second->slots()[0].status));
  EXPECT_THAT(Message(second->slots()[0].status), HasSubstr("other sessions of this agent"));
  first.reset();
  auto third = OpenSet(*machine.backend, all_events, {0});
  EXPECT_TRUE(third->slots().back().status.ok()) << third->slots().back().status;
}

// Polled often enough, a counter may wrap as often as it likes.
TEST_P(EveryClass, WrapsAreTakenIn) {
  SimulatedX86 machine({std::string(GetParam().spec) + ",event.0x2=40G"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/", {0});
  ASSERT_TRUE(set->Enable().ok());

  for (int i = 0; i < 60; ++i) {  // 2.4e12 events: twice and more 2^40
    machine.clock.Advance(kSecondNs);
    static_cast<X86PmcSet&>(*set).Poll();
  }

  EXPECT_EQ(ReadSet(*set)[0].raw_count, 2'400'000'000'000u);
  EXPECT_EQ(ReadSet(*set)[0].state, ReadingState::kCounted);
}

TEST(X86Pmc, AWrapThatNobodyCouldSeeIsSuspected) {
  SimulatedX86 machine({"p6:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/");
  ASSERT_TRUE(set->Enable().ok());

  machine.clock.Advance(60 * kSecondNs);  // at 100 events a nanosecond: 2^40 in 11 s

  EXPECT_EQ(ReadSet(*set)[0].state, ReadingState::kOverflowSuspected);
}

TEST(X86Pmc, ThePreloadIsInTheRegisterAndNotInTheCount) {
  SimulatedX86 machine({"p6:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2,counter=0,preload=0x7fffff00/");

  EXPECT_EQ(machine.Register(0xc1), 0x7fffff00u);
  ASSERT_TRUE(set->Enable().ok());
  machine.clock.Advance(kSecondNs);
  EXPECT_EQ(ReadSet(*set)[0].raw_count, 10'000'000u);
  EXPECT_EQ(machine.Register(0xc1), 0x7fffff00u + 10'000'000u);
}

TEST(X86Pmc, ThePentiumPreloadHas40Bits) {
  SimulatedX86 machine({"p5:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2,counter=1,preload=0xfffffffff0/");
  ASSERT_TRUE(set->Enable().ok());
  machine.clock.Advance(kSecondNs);

  EXPECT_EQ(ReadSet(*set)[0].raw_count, 10'000'000u);  // over the wrap
}

TEST(X86Pmc, P6StartsBothCountersWithOneWriteOfTheFirstSelect) {
  SimulatedX86 machine({"p6:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/u,x86_pmc/event=0x3/k", {0});
  machine.writes.clear();

  ASSERT_TRUE(set->Enable().ok());

  EXPECT_THAT(machine.writes,
              ElementsAre("write cpu 0 0x187 = 0x20003", "write cpu 0 0x186 = 0x410002"));
}

TEST(X86Pmc, ThePentiumStartsBothCountersWithOneWrite) {
  SimulatedX86 machine({"p5:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/u,x86_pmc/event=0x3/k", {0});
  machine.writes.clear();

  ASSERT_TRUE(set->Enable().ok());

  EXPECT_THAT(machine.writes, ElementsAre("write cpu 0 0x11 = 0x430082"));
}

TEST(X86Pmc, ArchitecturalCountersStartWithOneWriteOfTheGlobalControl) {
  SimulatedX86 machine({"arch-perfmon:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/,x86_pmc/event=0x3/", {0});
  machine.writes.clear();

  ASSERT_TRUE(set->Enable().ok());

  ASSERT_EQ(machine.writes.size(), 1u);
  EXPECT_THAT(machine.writes[0], HasSubstr("0x38f"));
}

TEST(X86Pmc, OnP6AnEventOfTheOtherCounterOnlyMovesTheFirst) {
  SimulatedX86 machine({"p6:rate=10M"});
  auto set = OpenSet(*machine.backend, "x86_pmc/event=0x2/,x86_pmc/FLOPS/");

  EXPECT_TRUE(set->slots()[0].status.ok());
  EXPECT_TRUE(set->slots()[1].status.ok());
  EXPECT_EQ(machine.Register(0x186) & 0xff, 0xc1u);
  EXPECT_EQ(machine.Register(0x187) & 0xff, 0x02u);
}

TEST(X86Pmc, VendorNamesComeFromLibpfm4) {
  SimulatedX86 intel({"arch-perfmon"});
  const auto intel_spec = ParseEventList("x86_pmc/UOPS_EXECUTED.STALL_CYCLES/u");
  const auto resolved = intel.backend->Resolve(intel_spec->front(), {});
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->front().encoding.config, 0x18101b1u);  // cmask 1, inverted
  SimulatedX86 amd({"amd"});
  const auto amd_spec = ParseEventList("x86_pmc/CYCLES_NOT_IN_HALT/");
  EXPECT_EQ(amd.backend->Resolve(amd_spec->front(), {})->front().encoding.config, 0x30076u);
  EXPECT_THAT(amd.backend->ListCounters(),
              Contains(Field(&CounterInfo::name, "x86_pmc/CYCLES_NOT_IN_HALT/")));
  const auto unknown = ParseEventList("x86_pmc/NO_SUCH_EVENT/");
  EXPECT_THAT(Message(amd.backend->Resolve(unknown->front(), {}).status()),
              HasSubstr("nor an event of libpfm4's table"));
}

TEST(X86Pmc, ListsTheI586TableWithItsAbilities) {
  SimulatedX86 machine({"p5"});

  const auto counters = machine.backend->ListCounters();

  EXPECT_EQ(counters.size(), 39u);  // the table, and "by number"
  EXPECT_THAT(counters, Contains(Field(&CounterInfo::name, "x86_pmc/agi_stalls/")));
  EXPECT_THAT(counters, Each(Field(&CounterInfo::width_bits, 40)));
  EXPECT_THAT(counters[1].capabilities,
              ElementsAre(CounterCapability::kRead, CounterCapability::kSystem,
                          CounterCapability::kUser, CounterCapability::kWrite));
}

TEST(X86Pmc, ProcessesAreRefused) {
  SimulatedX86 machine({"p6"});
  CounterTarget target;
  target.pid = 1;
  const auto spec = ParseEventList("x86_pmc/event=1/");

  const auto resolved = machine.backend->Resolve(spec->front(), target);

  EXPECT_TRUE(absl::IsFailedPrecondition(resolved.status()));
  EXPECT_THAT(Message(resolved.status()), HasSubstr("not a process"));
}

}  // namespace
}  // namespace pmu::server
