#include "server/journal/setting_keeper.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/journal/msr_settings.h"
#include "tests/fakes/fake_msr_device.h"
#include "tests/fakes/fake_restore_journal.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettingKeeperTest : public ::testing::Test {
 protected:
  SettingKeeperTest() {
    for (uint32_t reg = 1; reg <= 3; ++reg) device_.Set(0, reg, 100 + reg);
  }
  std::unique_ptr<SettingKeeper::Hold> Acquire(const std::vector<uint32_t>& registers) {
    std::vector<Setting> settings;
    for (const uint32_t reg : registers) settings.push_back({"msr", 0, reg});
    auto hold = keeper_.Acquire(std::move(settings));
    EXPECT_TRUE(hold.ok()) << hold.status();
    return *std::move(hold);
  }

  FakeMsrDevice device_;
  MsrSettings access_{&device_};
  FakeRestoreJournal journal_;
  std::vector<std::string> problems_;
  SettingKeeper keeper_{&access_, &journal_,
                        [this](const std::string& problem) { problems_.push_back(problem); }};
};

TEST_F(SettingKeeperTest, PutsBackInTheOrderOfAcquire) {
  auto hold = Acquire({2, 1});
  device_.Set(0, 1, 7);
  device_.Set(0, 2, 8);

  hold.reset();

  EXPECT_THAT(device_.writes(), ElementsAre("write cpu 0 0x2 = 0x66", "write cpu 0 0x1 = 0x65"));
  EXPECT_THAT(journal_.pending, IsEmpty());
}

TEST_F(SettingKeeperTest, WhatWasNotChangedIsNotWritten) {
  Acquire({1, 2}).reset();

  EXPECT_THAT(device_.writes(), IsEmpty());
  EXPECT_THAT(journal_.pending, IsEmpty());
}

// In whatever order overlapping holders come and go.
TEST_F(SettingKeeperTest, TheLastHolderPutsBackWhatTheFirstFound) {
  auto first = Acquire({1, 2});
  device_.Set(0, 1, 7);
  auto second = Acquire({1, 3});
  device_.Set(0, 1, 9);
  device_.Set(0, 3, 9);

  first.reset();
  EXPECT_EQ(device_.Get(0, 1), 9u);
  EXPECT_EQ(journal_.pending.size(), 2u);  // register 1 is of the first record
  second.reset();

  EXPECT_EQ(device_.Get(0, 1), 101u);
  EXPECT_EQ(device_.Get(0, 3), 103u);
  EXPECT_THAT(journal_.pending, IsEmpty());
}

// A crash at any time between: the journal must lead back to the start.
TEST_F(SettingKeeperTest, TheJournalNeverRecordsWhatAHolderHasSet) {
  auto first = Acquire({1});
  device_.Set(0, 1, 7);
  auto second = Acquire({1, 2});

  for (const auto& [ticket, steps] : journal_.pending) {
    for (const RestoreStep& step : steps) EXPECT_EQ(step.data, 100 + step.address);
  }
}

TEST_F(SettingKeeperTest, ASettingThatCannotBeReadHoldsNothing) {
  auto hold = keeper_.Acquire({{"msr", 0, 1}, {"msr", 0, 99}});

  EXPECT_TRUE(absl::IsNotFound(hold.status()));
  EXPECT_THAT(journal_.pending, IsEmpty());
}

TEST_F(SettingKeeperTest, WithoutTheJournalNothingIsHeld) {
  journal_.failure = absl::UnavailableError("disk full");

  EXPECT_TRUE(absl::IsUnavailable(keeper_.Acquire({{"msr", 0, 1}}).status()));
  journal_.failure = absl::OkStatus();
  EXPECT_TRUE(keeper_.Acquire({{"msr", 0, 1}}).ok());
}

TEST_F(SettingKeeperTest, WhatCannotBePutBackIsSaidAndStaysInTheJournal) {
  auto hold = Acquire({1, 2});
  device_.TakeOffline(0);

  hold.reset();

  EXPECT_THAT(problems_, ElementsAre(HasSubstr("offline"), HasSubstr("offline")));
  EXPECT_EQ(journal_.pending.size(), 1u);
}

}  // namespace
}  // namespace pmu::server
