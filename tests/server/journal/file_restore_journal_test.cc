#include "server/journal/file_restore_journal.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/machine/root_files.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Remembers what is written back: "msr 0 0x186 = 5".
class RecordingTarget final : public RestoreTarget {
 public:
  absl::Status Restore(const RestoreStep& step) override {
    written.push_back(
        absl::StrCat(step.device, " ", step.cpu, " 0x", absl::Hex(step.address), " = ", step.data));
    return result;
  }
  std::vector<std::string> written;
  absl::Status result;
};

class FileRestoreJournalTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileRestoreJournal> Open(const std::string& boot_id = "boot-a") {
    auto journal = FileRestoreJournal::Open(tree_.root(), boot_id);
    EXPECT_TRUE(journal.ok()) << journal.status();
    return std::move(*journal);
  }
  ReplayResult Replay(FileRestoreJournal& journal) {
    return journal.Replay({{"msr", &msr_}, {"file", &file_}});
  }
  std::string JournalText() {
    return ReadSmallFile(tree_.root() + "/restore.journal").value_or("none");
  }

  ScratchTree tree_;
  RecordingTarget msr_;
  RecordingTarget file_;
};

TEST_F(FileRestoreJournalTest, ReplaysTheLatestRecordFirstAndItsStepsInOrder) {
  {
    auto journal = Open();
    ASSERT_TRUE(journal->Record({{"msr", 0, 0x186, 1}, {"msr", 0, 0xc1, 2}}).ok());
    ASSERT_TRUE(journal->Record({{"msr", 1, 0x186, 3}}).ok());
  }  // as if killed: nothing was marked undone
  auto journal = Open();

  const ReplayResult result = Replay(*journal);

  EXPECT_EQ(result.restored, 2);
  EXPECT_THAT(msr_.written, ElementsAre("msr 1 0x186 = 3", "msr 0 0x186 = 1", "msr 0 0xc1 = 2"));
  EXPECT_EQ(journal->outstanding_count(), 0u);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(FileRestoreJournalTest, WhatWasUndoneIsNotReplayed) {
  {
    auto journal = Open();
    auto first = journal->Record({{"msr", 0, 0x186, 1}});
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(journal->Record({{"file:/sys/x", -1, 0, 1}}).ok());
    ASSERT_TRUE(journal->MarkUndone(*first).ok());
  }
  auto journal = Open();

  Replay(*journal);

  EXPECT_THAT(msr_.written, IsEmpty());
  EXPECT_THAT(file_.written, ElementsAre("file:/sys/x -1 0x0 = 1"));
}

TEST_F(FileRestoreJournalTest, AfterARebootNothingIsWritten) {
  ASSERT_TRUE(Open("boot-a")->Record({{"msr", 0, 0x186, 1}}).ok());
  auto journal = Open("boot-b");

  const ReplayResult result = Replay(*journal);

  EXPECT_EQ(result.dropped, 1);
  EXPECT_THAT(result.messages, ElementsAre(HasSubstr("restarted")));
  EXPECT_THAT(msr_.written, IsEmpty());
  EXPECT_EQ(journal->outstanding_count(), 0u);
}

TEST_F(FileRestoreJournalTest, SimulatedRegistersAreNeverWrittenToRealOnes) {
  ASSERT_TRUE(Open()->Record({{"simulated-msr", 0, 0x186, 1}}).ok());
  auto journal = Open();

  const ReplayResult result = Replay(*journal);

  EXPECT_EQ(result.dropped, 1);
  EXPECT_THAT(msr_.written, IsEmpty());
}

TEST_F(FileRestoreJournalTest, ARecordThatCannotBeWrittenBackStaysForTheNextStart) {
  ASSERT_TRUE(Open()->Record({{"msr", 0, 0x186, 1}, {"msr", 0, 0xc1, 2}}).ok());
  msr_.result = absl::UnavailableError("CPU 0 is offline");
  {
    auto journal = Open();
    const ReplayResult result = Replay(*journal);
    EXPECT_EQ(result.failed, 1);
    EXPECT_THAT(result.messages, ElementsAre(HasSubstr("CPU 0 is offline")));
    EXPECT_EQ(msr_.written.size(), 2u);  // the second step is tried all the same
  }
  msr_.result = absl::OkStatus();

  auto journal = Open();

  EXPECT_EQ(Replay(*journal).restored, 1);
}

TEST_F(FileRestoreJournalTest, AnUnknownDeviceIsNamed) {
  ASSERT_TRUE(Open()->Record({{"toaster", 0, 0, 1}}).ok());
  auto journal = Open();

  EXPECT_THAT(Replay(*journal).messages, ElementsAre(HasSubstr("toaster")));
}

TEST_F(FileRestoreJournalTest, ATornTailDoesNotSpoilWhatIsAppended) {
  ASSERT_TRUE(Open()->Record({{"msr", 0, 0x186, 1}}).ok());
  tree_.Write("/restore.journal", JournalText() + "begin 2 boot-a\nstep msr 0 0x1");
  {
    auto journal = Open();
    ASSERT_TRUE(journal->Record({{"msr", 0, 0x187, 9}}).ok());
  }
  auto journal = Open();

  Replay(*journal);

  EXPECT_THAT(msr_.written, ElementsAre("msr 0 0x187 = 9", "msr 0 0x186 = 1"));
}

TEST_F(FileRestoreJournalTest, DamageIsSaid) {
  tree_.Write("/restore.journal", "\x01\x02 rubbish\n");
  auto journal = Open();

  EXPECT_THAT(Replay(*journal).messages, ElementsAre(HasSubstr("restore.journal: line 1")));
}

TEST_F(FileRestoreJournalTest, ASecondAgentIsRefused) {
  auto journal = Open();

  auto second = FileRestoreJournal::Open(tree_.root(), "boot-a");

  EXPECT_TRUE(absl::IsFailedPrecondition(second.status())) << second.status();
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("--state-dir"));
}

TEST_F(FileRestoreJournalTest, TheJournalStaysSmallOverManySessions) {
  auto journal = Open();
  auto kept = journal->Record({{"msr", 0, 0x186, 1}});
  ASSERT_TRUE(kept.ok());
  const std::vector<RestoreStep> steps(1000, {"msr", 0, 0x187, 2});

  for (int i = 0; i < 100; ++i) {
    auto ticket = journal->Record(steps);
    ASSERT_TRUE(ticket.ok());
    ASSERT_TRUE(journal->MarkUndone(*ticket).ok());
  }

  EXPECT_LT(JournalText().size(), 300'000u);
  EXPECT_EQ(journal->outstanding_count(), 1u);
}

TEST_F(FileRestoreJournalTest, WithNothingOutstandingTheFileIsEmpty) {
  auto journal = Open();
  auto first = journal->Record({{"msr", 0, 0x186, 1}});
  auto second = journal->Record({{"msr", 0, 0x187, 2}});
  ASSERT_TRUE(journal->MarkUndone(*first).ok());
  EXPECT_NE(JournalText(), "");
  ASSERT_TRUE(journal->MarkUndone(*second).ok());
  EXPECT_EQ(JournalText(), "");

  ASSERT_TRUE(journal->Record({{"msr", 0, 0x188, 3}}).ok());  // goes on
  journal.reset();
  journal = Open();
  Replay(*journal);
  EXPECT_THAT(msr_.written, ElementsAre("msr 0 0x188 = 3"));
}

TEST_F(FileRestoreJournalTest, ADirectoryInTheFilesPlaceIsAnError) {
  tree_.MakeDirectory("/restore.journal");

  EXPECT_FALSE(FileRestoreJournal::Open(tree_.root(), "boot-a").ok());
}

// What a replay finds after SIGKILL at `point` of a Record and a MarkUndone.
TEST_F(FileRestoreJournalTest, KilledAtEveryPoint) {
  const struct {
    JournalPoint point;
    int restored;  // once Record has returned, the change may have been made
  } kCases[] = {{JournalPoint::kBeforeWrite, 0},  {JournalPoint::kHalfWritten, 0},
                {JournalPoint::kWritten, 1},      {JournalPoint::kDurable, 1},
                {JournalPoint::kBeforeUndone, 1}, {JournalPoint::kUndone, 0}};
  for (const auto& test_case : kCases) {
    tree_.Remove("/restore.journal");
    const pid_t child = fork();
    if (child == 0) {
      FileRestoreJournal::Options options;
      options.at_point = [&](JournalPoint point) {
        if (point == test_case.point) kill(getpid(), SIGKILL);
      };
      auto journal = FileRestoreJournal::Open(tree_.root(), "boot-a", options);
      auto ticket = (*journal)->Record({{"msr", 0, 0x186, 1}});
      (*journal)->MarkUndone(*ticket).IgnoreError();
      _exit(1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    auto journal = Open();

    EXPECT_EQ(Replay(*journal).restored, test_case.restored)
        << "point " << static_cast<int>(test_case.point);
  }
}

}  // namespace
}  // namespace pmu::server
