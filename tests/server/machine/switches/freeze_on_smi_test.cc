#include "server/machine/switches/freeze_on_smi.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/journal/file_restore_journal.h"
#include "server/machine/root_files.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

constexpr char kSwitch[] = "/sys/devices/cpu/freeze_on_smi";

// While it lives, root too is held to the modes of files: this thread is without
// CAP_DAC_OVERRIDE (capabilities(7)).
class ModesBindRoot {
 public:
  ModesBindRoot() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct without[_LINUX_CAPABILITY_U32S_3] = {before_[0], before_[1]};
    without[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
    EXPECT_EQ(syscall(SYS_capset, &header_, without), 0);
  }
  ~ModesBindRoot() { syscall(SYS_capset, &header_, before_); }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[_LINUX_CAPABILITY_U32S_3] = {};
};

class FreezeOnSmiTest : public ::testing::Test {
 protected:
  FreezeOnSmiTest() {
    tree_.MakeDirectory("/state");
    StartAgent();
  }

  // As after a crash: what was held is not released.
  void StartAgent() {
    freeze_.reset();
    journal_.reset();
    auto journal = FileRestoreJournal::Open(tree_.root() + "/state", "boot-a");
    ASSERT_TRUE(journal.ok()) << journal.status();
    journal_ = *std::move(journal);
    freeze_ = std::make_unique<FreezeOnSmi>(tree_.root(), journal_.get(), nullptr);
    journal_->Replay({{"file", freeze_->restore_target()}});
  }
  std::string Switch(const std::string& path = kSwitch) {
    return ReadTrimmedFile(tree_.root() + path).value_or("none");
  }
  std::unique_ptr<FreezeOnSmi::Hold> Acquire() {
    auto hold = freeze_->Acquire();
    EXPECT_TRUE(hold.ok()) << hold.status();
    return *std::move(hold);
  }

  ScratchTree tree_;
  std::unique_ptr<FileRestoreJournal> journal_;
  std::unique_ptr<FreezeOnSmi> freeze_;
};

TEST_F(FreezeOnSmiTest, IsOnWhileHeldAndThenAsBefore) {
  tree_.Write(kSwitch, "0\n");
  {
    auto hold = Acquire();
    EXPECT_EQ(Switch(), "1");
  }
  EXPECT_EQ(Switch(), "0");
  EXPECT_EQ(journal_->outstanding_count(), 0u);
}

TEST_F(FreezeOnSmiTest, WhatWasOnStaysOn) {
  tree_.Write(kSwitch, "1\n");
  { auto hold = Acquire(); }
  EXPECT_EQ(Switch(), "1");
}

TEST_F(FreezeOnSmiTest, ASwitchThatIsOnIsNeverWritten) {
  tree_.Write(kSwitch, "1\n");
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat((tree_.root() + kSwitch).c_str(), &before), 0);

  { auto hold = Acquire(); }

  ASSERT_EQ(stat((tree_.root() + kSwitch).c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
}

TEST_F(FreezeOnSmiTest, OverlappingHoldsRestoreOnce) {
  tree_.Write(kSwitch, "0\n");
  auto first = Acquire();
  auto second = Acquire();

  first.reset();
  EXPECT_EQ(Switch(), "1");
  second.reset();
  EXPECT_EQ(Switch(), "0");
}

TEST_F(FreezeOnSmiTest, BothSwitchesOfAHybridMachine) {
  tree_.CopyFrom("tests/cases/sysfs/adl-hybrid");
  const std::string core = "/sys/bus/event_source/devices/cpu_core/freeze_on_smi";
  const std::string atom = "/sys/bus/event_source/devices/cpu_atom/freeze_on_smi";
  tree_.Write(core, "0\n");
  tree_.Write(atom, "1\n");
  {
    auto hold = Acquire();
    EXPECT_EQ(Switch(core), "1");
    EXPECT_EQ(Switch(atom), "1");
    EXPECT_TRUE(freeze_->IsOn());
  }
  EXPECT_EQ(Switch(core), "0");
  EXPECT_EQ(Switch(atom), "1");
  EXPECT_FALSE(freeze_->IsOn());
}

TEST_F(FreezeOnSmiTest, AMachineWithoutTheSwitch) {
  EXPECT_FALSE(freeze_->IsOn());
  auto hold = freeze_->Acquire();

  EXPECT_TRUE(absl::IsFailedPrecondition(hold.status()));
  EXPECT_THAT(std::string(hold.status().message()), HasSubstr(kSwitch));
}

TEST_F(FreezeOnSmiTest, ASwitchThatCannotBeWritten) {
  const ModesBindRoot modes_bind;
  tree_.Write(kSwitch, "0\n");
  ASSERT_EQ(chmod((tree_.root() + kSwitch).c_str(), 0444), 0);

  auto hold = freeze_->Acquire();

  EXPECT_TRUE(absl::IsPermissionDenied(hold.status()));
  EXPECT_THAT(std::string(hold.status().message()), HasSubstr("cannot be written"));
}

TEST_F(FreezeOnSmiTest, ASwitchThatHoldsNoNumberIsNotTouched) {
  tree_.Write(kSwitch, "on\n");

  EXPECT_FALSE(freeze_->Acquire().ok());
  EXPECT_EQ(Switch(), "on");
}

TEST_F(FreezeOnSmiTest, TheReplayWritesOnlySwitches) {
  tree_.Write("/etc/passwd", "root\n");

  const absl::Status restored = freeze_->restore_target()->Restore({"file:/etc/passwd", -1, 0, 0});

  EXPECT_TRUE(absl::IsPermissionDenied(restored));
  EXPECT_EQ(Switch("/etc/passwd"), "root");
}

}  // namespace
}  // namespace pmu::server
