#include "client/admission.h"

#include <gtest/gtest.h>

#include <string>

namespace pmu::client {
namespace {

TEST(AdmissionTest, LetsInUpToTheLimitAndTheRestInOrder) {
  Admission admission(2);
  std::string entered;
  for (char c : std::string("abcd")) admission.Enter([&entered, c] { entered += c; });
  EXPECT_EQ(entered, "ab");

  admission.Leave();
  EXPECT_EQ(entered, "abc");

  admission.Leave();
  EXPECT_EQ(entered, "abcd");
  EXPECT_EQ(admission.inside(), 2u);
}

// Work that ends at once, 100,000 times, must not use 100,000 stack frames.
TEST(AdmissionTest, WorkThatEndsAtOnceDoesNotDeepenTheStack) {
  Admission admission(1);
  int runs = 0;
  admission.Enter([] {});
  for (int i = 0; i < 100'000; ++i) {
    admission.Enter([&] {
      ++runs;
      admission.Leave();
    });
  }

  admission.Leave();

  EXPECT_EQ(runs, 100'000);
  EXPECT_EQ(admission.inside(), 0u);
}

TEST(AdmissionTest, ALimitOfZeroIsOne) {
  Admission admission(0);
  bool entered = false;

  admission.Enter([&] { entered = true; });

  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace pmu::client
