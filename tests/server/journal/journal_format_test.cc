#include "server/journal/journal_format.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

JournalRecord ExampleRecord() {
  return {7, "boot-a", {{"msr", 3, 0x186, 0x4300c0}, {"file:/sys/a b%\n", -1, 0, 1}}};
}

TEST(JournalFormat, WritesTheDocumentedBlock) {
  const std::string text = FormatJournalRecord(ExampleRecord());

  const std::string body =
      "begin 7 boot-a\n"
      "step msr 3 0x186 0x4300c0\n"
      "step file:/sys/a%20b%25%0A -1 0x0 0x1\n";
  EXPECT_EQ(text, absl::StrCat(body, "end 7 ", absl::Hex(Crc32(body), absl::kZeroPad8), "\n"));
}

TEST(JournalFormat, ChecksumIsTheCommonCrc32) { EXPECT_EQ(Crc32("123456789"), 0xcbf43926u); }

TEST(JournalFormat, ReadsBackWhatItWrote) {
  const JournalContents contents = ParseJournal(FormatJournalRecord(ExampleRecord()));

  ASSERT_THAT(contents.outstanding, SizeIs(1));
  const JournalRecord& record = contents.outstanding[0];
  EXPECT_EQ(record.ticket, 7u);
  EXPECT_EQ(record.boot_id, "boot-a");
  ASSERT_THAT(record.steps, SizeIs(2));
  EXPECT_EQ(record.steps[0].device, "msr");
  EXPECT_EQ(record.steps[0].cpu, 3);
  EXPECT_EQ(record.steps[0].address, 0x186u);
  EXPECT_EQ(record.steps[0].data, 0x4300c0u);
  EXPECT_EQ(record.steps[1].device, "file:/sys/a b%\n");
  EXPECT_EQ(record.steps[1].cpu, -1);
  EXPECT_THAT(contents.problems, IsEmpty());
  EXPECT_EQ(contents.last_ticket, 7u);
}

TEST(JournalFormat, UndoneRecordsAreGone) {
  JournalRecord second = ExampleRecord();
  second.ticket = 8;
  const JournalContents contents = ParseJournal(absl::StrCat(
      FormatJournalRecord(ExampleRecord()), FormatJournalRecord(second), FormatUndone(7)));

  ASSERT_THAT(contents.outstanding, SizeIs(1));
  EXPECT_EQ(contents.outstanding[0].ticket, 8u);
}

// The write may end anywhere.
TEST(JournalFormat, EveryTornRecordIsDroppedAndTheOneBeforeKept) {
  JournalRecord second = ExampleRecord();
  second.ticket = 8;
  const std::string first_text = FormatJournalRecord(ExampleRecord());
  const std::string second_text = FormatJournalRecord(second);

  for (size_t size = 0; size < second_text.size(); ++size) {
    const JournalContents contents =
        ParseJournal(absl::StrCat(first_text, second_text.substr(0, size)));
    ASSERT_THAT(contents.outstanding, SizeIs(1)) << "torn after " << size << " bytes";
    EXPECT_EQ(contents.outstanding[0].ticket, 7u);
    EXPECT_EQ(contents.problems.size(), size == 0 ? 0u : 1u) << "torn after " << size << " bytes";
  }
}

TEST(JournalFormat, AnyChangedByteSpoilsItsRecordOnly) {
  JournalRecord second = ExampleRecord();
  second.ticket = 8;
  const std::string first_text = FormatJournalRecord(ExampleRecord());
  const std::string second_text = FormatJournalRecord(second);

  for (size_t at = 0; at < first_text.size(); ++at) {
    std::string damaged = first_text;
    damaged[at] = damaged[at] == '7' ? '9' : '7';
    const JournalContents contents = ParseJournal(absl::StrCat(damaged, second_text));
    for (const JournalRecord& record : contents.outstanding) EXPECT_EQ(record.ticket, 8u);
    EXPECT_FALSE(contents.problems.empty()) << "changed byte " << at;
  }
}

TEST(JournalFormat, RubbishIsNamedByItsLine) {
  const JournalContents contents = ParseJournal("hello\nundone x\nundone 3\nstep a\n");

  EXPECT_THAT(contents.outstanding, IsEmpty());
  EXPECT_THAT(contents.problems, ElementsAre(HasSubstr("line 1"), HasSubstr("line 2")));
}

TEST(JournalFormat, NumbersTakeNoSignsOrSpaces) {
  const std::string good = FormatJournalRecord({1, "b", {{"msr", 0, 0x10, 0x20}}});
  for (const char* bad : {"step msr +0 0x10 0x20", "step msr 0 10 0x20", "step msr 0 0x10 0x-2",
                          "step msr 0 0x10", "step m%Zr 0 0x10 0x20"}) {
    std::string body = absl::StrCat("begin 1 b\n", bad, "\n");
    absl::StrAppend(&body, "end 1 ", absl::Hex(Crc32(body), absl::kZeroPad8), "\n");
    EXPECT_THAT(ParseJournal(body).outstanding, IsEmpty()) << bad;
  }
  EXPECT_THAT(ParseJournal(good).outstanding, SizeIs(1));
}

}  // namespace
}  // namespace pmu::server
