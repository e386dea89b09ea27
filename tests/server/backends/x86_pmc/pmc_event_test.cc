#include "server/backends/x86_pmc/pmc_event.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

PmcModel ModelOf(PmcClass pmc_class) {
  CpuIdentity identity;
  identity.has_msr = true;
  identity.vendor = pmc_class == PmcClass::kAmd ? "AuthenticAMD" : "GenuineIntel";
  identity.family = pmc_class == PmcClass::kI586 ? 5 : 6;
  if (pmc_class == PmcClass::kArchitectural) {
    identity.perfmon_version = 4;
    identity.perfmon_counters = 4;
    identity.perfmon_width_bits = 48;
  }
  return DetectPmcModel(identity, kFullWidthWritesBit);
}

absl::StatusOr<PmcSelection> Select(PmcClass pmc_class, const char* text) {
  const auto events = ParseEventList(text);
  EXPECT_TRUE(events.ok()) << events.status();
  const PmcNames& names = pmc_class == PmcClass::kI586 ? I586Names() : I686Names();
  return SelectPmcEvent(events->front(), ModelOf(pmc_class), names);
}

uint64_t Bits(PmcClass pmc_class, const char* text) {
  const auto event = Select(pmc_class, text);
  EXPECT_TRUE(event.ok()) << text << ": " << event.status();
  return event.ok() ? SelectBits(ModelOf(pmc_class), *event) : 0;
}

TEST(PmcEvent, EveryFieldOfTheSelectRegister) {
  constexpr PmcClass kI686 = PmcClass::kI686;
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc0/"), 0x0300c0u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc0/u"), 0x0100c0u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc0/k"), 0x0200c0u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc0/ku"), 0x0300c0u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0x29,umask=0x0f/u"), 0x010f29u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc2,cmask=1,inv,edge/u"), 0x18500c2u);
  EXPECT_EQ(Bits(kI686, "x86_pmc/event=0xc2,cmask=255/"), 0xff0300c2u);
}

TEST(PmcEvent, TheExampleOfTheManualPage) {
  const auto event = Select(
      PmcClass::kI686, "x86_pmc/event=0xc0,umask=0x00,cmask=1,edge,inv,counter=1,preload=0/ku");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->code, 0xc0u);
  EXPECT_EQ(event->cmask, 1u);
  EXPECT_TRUE(event->edge);
  EXPECT_TRUE(event->inv);
  EXPECT_EQ(event->counter, 1);
  EXPECT_TRUE(event->user && event->kernel);
}

TEST(PmcEvent, AmdEventCodesHave12Bits) {
  EXPECT_EQ(Bits(PmcClass::kAmd, "x86_pmc/event=0x1c0,umask=0xff/u"), 0x10001ffc0u);
  EXPECT_FALSE(Select(PmcClass::kAmd, "x86_pmc/event=0x1000/").ok());
  EXPECT_FALSE(Select(PmcClass::kArchitectural, "x86_pmc/event=0x1c0/").ok());
}

TEST(PmcEvent, TheHalfOfTheI586Class) {
  EXPECT_EQ(Bits(PmcClass::kI586, "x86_pmc/event=0x16/"), 0xd6u);
  EXPECT_EQ(Bits(PmcClass::kI586, "x86_pmc/event=0x16/k"), 0x56u);
  EXPECT_EQ(Bits(PmcClass::kI586, "x86_pmc/data_read_stall,clocks/u"), 0x19au);
}

TEST(PmcEvent, WhatAClassLacksIsRefusedNamingTheClass) {
  const struct {
    PmcClass pmc_class;
    const char* text;
    const char* message;
  } kCases[] = {
      {PmcClass::kI586, "x86_pmc/event=1,umask=1/", "class i586 has no unit mask"},
      {PmcClass::kI586, "x86_pmc/event=1,cmask=1/", "class i586 has no counter mask"},
      {PmcClass::kI586, "x86_pmc/event=1,edge/", "class i586 has no edge detection"},
      {PmcClass::kI586, "x86_pmc/event=1,inv/", "class i586 has no inverted compare"},
      {PmcClass::kI586, "x86_pmc/event=0x40/", "above 0x3f, the largest of class i586"},
      {PmcClass::kI686, "x86_pmc/event=1,clocks/", "class i686 cannot count clocks"},
      {PmcClass::kI686, "x86_pmc/event=1,counter=2/", "above 0x1, the largest of class i686"},
      {PmcClass::kI686, "x86_pmc/event=1,preload=0x80000000/", "above 0x7fffffff"},
      {PmcClass::kI686, "x86_pmc/event=0xc1,counter=1/", "cannot count this event on counter 1"},
      {PmcClass::kArchitectural, "x86_pmc/event=1,preload=0x1000000000000/",
       "above 0xffffffffffff"},
  };
  for (const auto& test_case : kCases) {
    const auto event = Select(test_case.pmc_class, test_case.text);
    EXPECT_TRUE(absl::IsInvalidArgument(event.status())) << test_case.text;
    EXPECT_THAT(std::string(event.status().message()), HasSubstr(test_case.message));
  }
}

TEST(PmcEvent, MalformedEventsNameTheTokenAndItsPosition) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"x86_pmc/event=0xc0,wibble/", "\"wibble\" at position 20"},
      {"x86_pmc/event=0xc0,wibble=1/", "\"wibble\" at position 20: unknown term"},
      {"x86_pmc/event=0xc0,event=1/", "\"event\" at position 20: the event is given twice"},
      {"x86_pmc/event=0xc0,INST_RETIRED/", "given twice"},
      {"x86_pmc/event/", "a number is missing"},
      {"x86_pmc/umask=1/", "say what to count"},
      {"x86_pmc/event=0xc0,edge=2/", "is 0 or 1"},
      {"x86_pmc/event=0xc0/h", "modifier 'h'"},
      {"x86_pmc/event=0xc0/uG", "modifier 'G'"},
      {"x86_pmc/event=0xc0/pp", "modifier 'p'"},
  };
  for (const auto& test_case : kCases) {
    const auto event = Select(PmcClass::kI686, test_case.text);
    EXPECT_TRUE(absl::IsInvalidArgument(event.status())) << test_case.text;
    EXPECT_THAT(std::string(event.status().message()), HasSubstr(test_case.message));
  }
}

TEST(PmcEvent, NamesComeFromTheClassesTable) {
  EXPECT_EQ(Bits(PmcClass::kI586, "x86_pmc/data_miss/u"), 0xa9u);
  EXPECT_EQ(Bits(PmcClass::kI586, "x86_pmc/name=BRANCHES/u"), 0x92u);
  EXPECT_EQ(Bits(PmcClass::kI686, "x86_pmc/L2_LD/u"), 0x010f29u);
  EXPECT_EQ(Bits(PmcClass::kI686, "x86_pmc/L2_LD,umask=8/u"), 0x010829u);
}

TEST(PmcEvent, TheI586TableIsTheManuals) {
  const std::vector<NamedPmcEvent> events = I586Names().List();
  EXPECT_EQ(events.size(), 38u);
  EXPECT_EQ(I586Names().Find("flops")->code, 0x22u);
  EXPECT_EQ(I586Names().Find("breakpoint_match_dr3")->code, 0x26u);
  EXPECT_EQ(I586Names().Find("data_lines_written_back")->code, 0x06u);
  EXPECT_FALSE(I586Names().Find("no_such").has_value());
}

TEST(PmcEvent, GenericNamesByClass) {
  EXPECT_EQ(Bits(PmcClass::kI686, "cycles:u"), 0x010079u);
  EXPECT_EQ(Bits(PmcClass::kArchitectural, "cpu-cycles"), 0x03003cu);
  EXPECT_EQ(Bits(PmcClass::kAmd, "instructions:k"), 0x0200c0u);
  EXPECT_TRUE(absl::IsFailedPrecondition(Select(PmcClass::kI586, "cycles").status()));
  EXPECT_TRUE(absl::IsNotFound(Select(PmcClass::kI686, "branches").status()));
  EXPECT_TRUE(absl::IsNotFound(Select(PmcClass::kI686, "cpu/event=1/").status()));
}

}  // namespace
}  // namespace pmu::server
