#include "server/backends/perf_event/did_you_mean.h"

#include <string>

#include "gtest/gtest.h"

namespace pmu::server {
namespace {

TEST(DidYouMeanTest, NearestFirstAtMostThree) {
  EXPECT_EQ(DidYouMean("cylces", {"bus-cycles", "cycles", "instructions"}),
            "; did you mean 'cycles'?");
  EXPECT_EQ(DidYouMean("aaab", {"aaad", "aaac", "aaae", "aaaf"}),
            "; did you mean 'aaac' or 'aaad' or 'aaae'?");
}

TEST(DidYouMeanTest, CaseAndUnderscoresAreNoMistake) {
  EXPECT_EQ(DidYouMean("Page_Faults", {"page-faults"}), "; did you mean 'page-faults'?");
}

TEST(DidYouMeanTest, NothingNearNothingSaid) {
  EXPECT_EQ(DidYouMean("zebra", {"cycles"}), "");
  EXPECT_EQ(DidYouMean("", {"a"}), "");
  EXPECT_EQ(DidYouMean(std::string(100'000, 'a'), {std::string(100'000, 'a')}), "");
}

}  // namespace
}  // namespace pmu::server
