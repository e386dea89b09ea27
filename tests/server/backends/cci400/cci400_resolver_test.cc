#include "server/backends/cci400/cci400_resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::StatusOr<Cci400Selection> Select(const char* text,
                                       Cci400Revision revision = Cci400Revision::kR1) {
  Cci400InterfaceNames names;
  names[3] = "A53 cluster";
  return SelectCci400Event(ParseEventList(text).value()[0], revision, names);
}

uint32_t SelectOf(const char* text) {
  const absl::StatusOr<Cci400Selection> selection = Select(text);
  EXPECT_TRUE(selection.ok()) << selection.status();
  return selection.ok() ? selection->select : ~0u;
}

std::string Error(const char* text, Cci400Revision revision = Cci400Revision::kR1) {
  const absl::Status status = Select(text, revision).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

// The register values of the manual's worked example.
TEST(Cci400ResolverTest, ByNumbers) {
  EXPECT_EQ(SelectOf("cci400/source=3,event=0x3/"), 0x63u);
  EXPECT_EQ(SelectOf("cci400/source=3,event=0xa/"), 0x6au);
  EXPECT_EQ(SelectOf("cci400/event=0x3,source=4/"), 0x83u);
  EXPECT_EQ(SelectOf("cci400/source=0x4,event=10/"), 0x8au);
  EXPECT_EQ(SelectOf("cci400/config=0x63/"), 0x63u);
}

TEST(Cci400ResolverTest, ByNames) {
  EXPECT_EQ(SelectOf("cci400/si_rrq_hs_any,source=0/"), 0x00u);
  EXPECT_EQ(SelectOf("cci400/si_r_data_last_hs_snoop,source=S4/"), 0x8au);
  EXPECT_EQ(SelectOf("cci400/source=M0,mi_retry_speculative_fetch/"), 0xa0u);
  EXPECT_EQ(SelectOf("cci400/mi_wrq_unique_or_line_unique_addr_hazard,source=7/"), 0xf1u);
  EXPECT_EQ(Select("cci400/mi_retry_speculative_fetch,source=5/", Cci400Revision::kR0)->select,
            0xb4u);
}

TEST(Cci400ResolverTest, Cycles) {
  for (const char* text : {"cci400/cycles/", "cci400/event=0xff/", "cci400/config=0xff/"}) {
    EXPECT_TRUE(Select(text)->is_cycles) << text;
    EXPECT_EQ(Select(text)->select, 0xffu) << text;
  }
  EXPECT_FALSE(Select("cci400/source=3,event=3/")->is_cycles);
}

// RG-4: this is the number of cycles, but must not count cycles.
TEST(Cci400ResolverTest, Source7Event0x1fIsNotCycles) {
  EXPECT_THAT(Error("cci400/source=7,event=0x1f/"),
              AllOf(HasSubstr("0x1f"), HasSubstr("M2"), HasSubstr("0x00 to 0x11")));
  EXPECT_THAT(Error("cci400/source=7,event=0x1f/", Cci400Revision::kR0), HasSubstr("0x14 to 0x1a"));
  EXPECT_THAT(Error("cci400/source=7,event=0xff/"), HasSubstr("0xff"));
}

// RG-4: an interconnect knows no modes.
TEST(Cci400ResolverTest, RefusesEveryModifier) {
  for (const char* letters : {"u", "k", "h", "G", "H", "D", "uk"}) {
    const std::string text = std::string("cci400/si_rrq_hs_any,source=0/") + letters;
    EXPECT_THAT(Error(text.c_str()), HasSubstr("no user, kernel, guest or host filter"));
  }
  EXPECT_THAT(Error("{cci400/cycles/}:u"), HasSubstr("\"u\""));
}

TEST(Cci400ResolverTest, NamesTheInterfaceAsConfigured) {
  EXPECT_THAT(Error("cci400/source=3,event=0x15/"), HasSubstr("slave interface S3 (A53 cluster)"));
}

TEST(Cci400ResolverTest, MissingParts) {
  EXPECT_THAT(Error("cci400/si_rrq_hs_any/"), HasSubstr("needs source="));
  EXPECT_THAT(Error("cci400/event=3/"), HasSubstr("needs source="));
  EXPECT_THAT(Error("cci400/source=3/"), HasSubstr("names no event"));
  EXPECT_THAT(Error("cci400//"), HasSubstr("names no event"));
  EXPECT_THAT(Error("cci400/event,source=1/"), HasSubstr("needs a number"));
}

TEST(Cci400ResolverTest, Contradictions) {
  EXPECT_THAT(Error("cci400/si_rrq_hs_any,event=3,source=1/"), HasSubstr("both"));
  EXPECT_THAT(Error("cci400/si_rrq_hs_any,si_wrq_hs_any,source=1/"), HasSubstr("second event"));
  EXPECT_THAT(Error("cci400/source=1,source=2,event=3/"), HasSubstr("given twice"));
  EXPECT_THAT(Error("cci400/cycles,source=1/"), HasSubstr("no source"));
  EXPECT_THAT(Error("cci400/cycles,cycles/"), HasSubstr("second event"));
  EXPECT_THAT(Error("cci400/config=0x63,source=3/"), HasSubstr("only one"));
  EXPECT_THAT(Error("cci400/si_rrq_hs_any,source=5/"), HasSubstr("slave (0 to 4"));
  EXPECT_THAT(Error("cci400/mi_retry_speculative_fetch,source=4/"), HasSubstr("master (5 to 7"));
}

TEST(Cci400ResolverTest, UnknownOnesAreNamedWithTheirPosition) {
  EXPECT_THAT(Error("cci400/zzz,source=1/"), AllOf(HasSubstr("\"zzz\" at position 8")));
  EXPECT_THAT(Error("cci400/source=8,event=1/"),
              AllOf(HasSubstr("source=8"), HasSubstr("S0 to S4")));
  EXPECT_THAT(Error("cci400/source=S5,event=1/"), HasSubstr("S5"));
  EXPECT_THAT(Error("cci400/source=M3,event=1/"), HasSubstr("M3"));
  EXPECT_THAT(Error("cci400/source,event=1/"), HasSubstr("not an interface"));
  EXPECT_THAT(Error("cci400/config=0x163/"), HasSubstr("8 bits"));
  // Of the other revision.
  EXPECT_THAT(Error("cci400/si_rrq_stall_slave_id_hazard,source=1/", Cci400Revision::kR0),
              HasSubstr("not an event of a CCI-400 r0"));
}

TEST(Cci400ResolverTest, OtherPmusAreNotItsBusiness) {
  for (const char* text : {"cycles", "CCI_400_r1/cycles/", "cci4000/cycles/", "r63", "sched:x"}) {
    EXPECT_EQ(Select(text).status().code(), absl::StatusCode::kNotFound) << text;
  }
}

}  // namespace
}  // namespace pmu::server
