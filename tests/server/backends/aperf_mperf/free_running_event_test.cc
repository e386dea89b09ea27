#include "server/backends/aperf_mperf/free_running_event.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<FreeRunningEvent> Select(const char* text) {
  const auto events = ParseEventList(text);
  EXPECT_TRUE(events.ok()) << events.status();
  return SelectFreeRunningEvent(events->front());
}

TEST(FreeRunningEvent, EveryNameOfEveryRegister) {
  const struct {
    const char* text;
    uint32_t address;
  } kCases[] = {{"perf-aperf", 0xe8},
                {"aperf", 0xe8},
                {"perf-mperf", 0xe7},
                {"mperf", 0xe7},
                {"msr/aperf/", 0xe8},
                {"msr/mperf/", 0xe7},
                {"aperf_mperf/aperf/", 0xe8},
                {"aperf_mperf/mperf/", 0xe7},
                {"smi", 0x34},
                {"msr/smi/", 0x34},
                {"aperf_mperf/smi/", 0x34}};
  for (const auto& test_case : kCases) {
    const auto selected = Select(test_case.text);
    ASSERT_TRUE(selected.ok()) << test_case.text << ": " << selected.status();
    EXPECT_EQ(selected->counted->address, test_case.address) << test_case.text;
    EXPECT_FALSE(selected->raw);
  }
}

TEST(FreeRunningEvent, RawContentsAreAskedForByATerm) {
  const auto selected = Select("aperf_mperf/aperf,raw/");

  ASSERT_TRUE(selected.ok()) << selected.status();
  EXPECT_TRUE(selected->raw);
}

TEST(FreeRunningEvent, OtherEventsAreNotOurs) {
  for (const char* text : {"cycles", "perf-smi", "msr/tsc/", "msr/aperf,x=1/", "msr/event=1/",
                           "r1a8", "sched:sched_switch", "cpu/aperf/"}) {
    EXPECT_TRUE(absl::IsNotFound(Select(text).status())) << text;
  }
}

TEST(FreeRunningEvent, EveryModifierIsAnErrorThatNamesIt) {
  for (const char* text : {"perf-aperf:u", "aperf:k", "msr/mperf/H", "aperf_mperf/smi/G", "aperf:D",
                           "{perf-mperf}:u"}) {
    const auto selected = Select(text);
    EXPECT_TRUE(absl::IsInvalidArgument(selected.status())) << text;
    EXPECT_THAT(std::string(selected.status().message()), HasSubstr("modifier")) << text;
  }
}

TEST(FreeRunningEvent, UnknownTermsAreNamedWithTheirPosition) {
  const auto selected = Select("aperf_mperf/aperf,hertz/");

  EXPECT_TRUE(absl::IsInvalidArgument(selected.status()));
  EXPECT_THAT(std::string(selected.status().message()), HasSubstr("\"hertz\" at position 19"));
}

TEST(FreeRunningEvent, OneRegisterAtATime) {
  EXPECT_TRUE(absl::IsInvalidArgument(Select("aperf_mperf/aperf,mperf/").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Select("aperf_mperf//").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Select("aperf_mperf/raw/").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Select("aperf_mperf/aperf=1/").status()));
}

}  // namespace
}  // namespace pmu::server
