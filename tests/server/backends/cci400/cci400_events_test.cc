#include "server/backends/cci400/cci400_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The ranges of DDI 0470 and of tests/cases/regs/cci400-r0-vs-r1.txt.
bool Valid(Cci400Revision revision, uint32_t source, uint32_t code) {
  const bool is_r0 = revision == Cci400Revision::kR0;
  if (source <= 4) return code <= (is_r0 ? 0x13u : 0x14u);
  return is_r0 ? code >= 0x14 && code <= 0x1a : code <= 0x11;
}

TEST(Cci400EventsTest, EveryRevisionInterfaceAndCode) {
  int valid_count = 0;
  for (Cci400Revision revision : {Cci400Revision::kR0, Cci400Revision::kR1}) {
    for (uint32_t source = 0; source < 8; ++source) {
      for (uint32_t code = 0; code <= 0x40; ++code) {
        const absl::Status status = CheckCci400Code(revision, source, code, {});
        EXPECT_EQ(status.ok(), Valid(revision, source, code))
            << Cci400RevisionName(revision) << " source " << source << " code " << code;
        if (status.ok()) ++valid_count;
      }
    }
  }
  EXPECT_EQ(valid_count, 5 * 20 + 3 * 7 + 5 * 21 + 3 * 18);
}

// A code that only looks small when cut to 32 bits.
TEST(Cci400EventsTest, CodesBeyond32BitsAreInvalid) {
  EXPECT_FALSE(CheckCci400Code(Cci400Revision::kR1, 3, uint64_t{1} << 32 | 3, {}).ok());
}

TEST(Cci400EventsTest, MessageNamesInterfaceAndRange) {
  Cci400InterfaceNames names;
  ASSERT_TRUE(AddCci400InterfaceName("M1=DDR", &names).ok());

  const absl::Status status = CheckCci400Code(Cci400Revision::kR1, 6, 0x12, names);

  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("0x12"), HasSubstr("master interface M1 (DDR)"),
                    HasSubstr("CCI-400 r1 has 0x00 to 0x11")));
}

TEST(Cci400EventsTest, NamesAreUniqueAndFound) {
  for (Cci400Revision revision : {Cci400Revision::kR0, Cci400Revision::kR1}) {
    std::set<std::string> names;
    for (const Cci400Event& event : Cci400Events(revision)) {
      EXPECT_TRUE(names.insert(event.name).second) << event.name;
      EXPECT_EQ(FindCci400Event(revision, event.name), &event);
      EXPECT_TRUE(CheckCci400Code(revision, event.is_master ? 5 : 0, event.code, {}).ok());
    }
  }
  EXPECT_EQ(Cci400Events(Cci400Revision::kR0).size(), 27u);
  EXPECT_EQ(Cci400Events(Cci400Revision::kR1).size(), 39u);
}

TEST(Cci400EventsTest, RevisionsGiveOneNameOtherCodes) {
  EXPECT_EQ(FindCci400Event(Cci400Revision::kR0, "mi_retry_speculative_fetch")->code, 0x14u);
  EXPECT_EQ(FindCci400Event(Cci400Revision::kR1, "mi_retry_speculative_fetch")->code, 0x00u);
  EXPECT_EQ(FindCci400Event(Cci400Revision::kR0, "si_rrq_stall_slave_id_hazard"), nullptr);
  EXPECT_EQ(FindCci400Event(Cci400Revision::kR0, "mi_wrq_stall_qvn_vn3"), nullptr);
}

TEST(Cci400EventsTest, RevisionComesFromBits7To4OfPid2) {
  EXPECT_EQ(Cci400RevisionOf(0x40), Cci400Revision::kR0);
  EXPECT_EQ(Cci400RevisionOf(0x4f), Cci400Revision::kR0);
  EXPECT_EQ(Cci400RevisionOf(0x50), Cci400Revision::kR1);
  EXPECT_EQ(Cci400RevisionOf(0xf0), Cci400Revision::kR1);
  EXPECT_EQ(Cci400RevisionOf(0xffffff0f), Cci400Revision::kR0);
}

TEST(Cci400EventsTest, InterfaceNames) {
  Cci400InterfaceNames names;
  EXPECT_TRUE(AddCci400InterfaceName("S3=A53 cluster", &names).ok());
  EXPECT_TRUE(AddCci400InterfaceName(" M2 = DMC ", &names).ok());

  EXPECT_EQ(Cci400InterfaceText(3, names), "S3 (A53 cluster)");
  EXPECT_EQ(Cci400InterfaceText(7, names), "M2 (DMC)");
  EXPECT_EQ(Cci400InterfaceText(0, names), "S0");
  for (const char* wrong : {"", "S5=x", "M3=x", "S3", "3=x", "S=x", "s3=x", "=x"}) {
    EXPECT_EQ(AddCci400InterfaceName(wrong, &names).code(), absl::StatusCode::kInvalidArgument)
        << wrong;
  }
}

}  // namespace
}  // namespace pmu::server
