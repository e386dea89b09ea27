#include "common/host_list.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/common/case_table.h"

namespace pmu {
namespace {

using Hosts = std::vector<std::string>;

Hosts ParseOk(absl::string_view text) {
  const absl::StatusOr<HostList> list = ParseHostList(text);
  EXPECT_TRUE(list.ok()) << text << ": " << list.status();
  return list.ok() ? list->hosts : Hosts();
}

std::string Error(absl::string_view text) {
  return std::string(ParseHostList(text).status().message());
}

// Rows that let us choose, "(or ERROR; state which)", and what was chosen.
struct Choice {
  const char* text;
  const char* wanted;
};
constexpr Choice kChoices[] = {
    {"n[001-3]", "n001 n002 n003"},
    {"n[1-03]", "ERROR"},
    {"n1,,n2", "ERROR"},
    {"n1,", "ERROR"},
};

TEST(HostListTest, ExpandsEveryCase) {
  int choices_met = 0;
  for (const auto& row : ReadCaseTable("hostlists.tsv", 3)) {
    SCOPED_TRACE(row[0]);
    std::string wanted = row[1];
    for (const Choice& choice : kChoices) {
      if (row[0] != choice.text) continue;
      wanted = choice.wanted;
      ++choices_met;
    }

    const absl::StatusOr<HostList> list = ParseHostList(row[0]);

    if (absl::StartsWith(wanted, "ERROR")) {
      EXPECT_FALSE(list.ok());
    } else {
      ASSERT_TRUE(list.ok()) << list.status();
      EXPECT_EQ(absl::StrJoin(list->hosts, " "), wanted);
      EXPECT_TRUE(list->duplicates.empty());
    }
  }
  EXPECT_EQ(choices_met, 4);
}

TEST(HostListTest, HugeRangesAreRefusedBeforeExpansion) {
  for (const char* text :
       {"n[0-999999999999999999]", "n[1-99999][1-99999]", "n[1-16385]",
        "a[1-999999999999999999][1-999999999999999999][1-999999999999999999]", "b,n[1-16384]"}) {
    EXPECT_EQ(ParseHostList(text).status().code(), absl::StatusCode::kResourceExhausted) << text;
  }
  EXPECT_EQ(Error("n[1-99999][1-99999]"),
            "host list, position 1: with \"n[1-99999][1-99999]\" the list has more than 16384 "
            "hosts, the limit");
  EXPECT_EQ(Error("n[1-18446744073709551616]"),
            "host list, position 1: \"n[1-18446744073709551616]\": \"1-18446744073709551616\" in "
            "brackets has a number of more than 18 digits");
  EXPECT_EQ(ParseOk("n[1-16384]").size(), kMaxHosts);
  EXPECT_EQ(ParseOk("n[1-128]-[1-128]").size(), kMaxHosts);
}

// 64 sums of 2^58 are 2^64, which is 0 in 64 bits.
TEST(HostListTest, SumsAndProductsDoNotWrap) {
  std::string sum = "n[";
  for (int i = 0; i < 64; ++i) absl::StrAppend(&sum, i == 0 ? "" : ",", "1-288230376151711744");
  sum += "]";
  EXPECT_EQ(ParseHostList(sum).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ParseHostList("n[1-4294967296][1-4294967296]").status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(HostListTest, SeveralBracketsMultiplyLastFastest) {
  EXPECT_EQ(ParseOk("rack[1-2]n[09-10]"), Hosts({"rack1n09", "rack1n10", "rack2n09", "rack2n10"}));
  EXPECT_EQ(ParseOk("[1-2].lab,n[ 1 , 3 ]"), Hosts({"1.lab", "2.lab", "n1", "n3"}));
  EXPECT_EQ(ParseOk("n[1-2]:70[01-02]"), Hosts({"n1:7001", "n1:7002", "n2:7001", "n2:7002"}));
  EXPECT_EQ(ParseOk("n[08-10,098-100]"), Hosts({"n08", "n09", "n10", "n098", "n099", "n100"}));
  EXPECT_EQ(ParseOk("n[98-100,0]"), Hosts({"n98", "n99", "n100", "n0"}));
}

TEST(HostListTest, AddressesAndPathsAreNotRanges) {
  EXPECT_EQ(ParseOk("[::1],[fe80::1%eth0]:50051,[fe80::2]:7"),
            Hosts({"[::1]", "[fe80::1%eth0]:50051", "[fe80::2]:7"}));
  EXPECT_EQ(ParseOk("unix:/run/[1-2] a#b{@.sock,10.0.0.[1-2]:80"),
            Hosts({"unix:/run/[1-2] a#b{@.sock", "10.0.0.1:80", "10.0.0.2:80"}));
  EXPECT_EQ(ParseOk("unix:/run/[x,b"), Hosts({"unix:/run/[x", "b"}));
}

TEST(HostListTest, DuplicatesAreKeptApart) {
  const absl::StatusOr<HostList> list = ParseHostList("b,a,n[1-3],n2,a,a,n02");

  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->hosts, Hosts({"b", "a", "n1", "n2", "n3", "n02"}));
  EXPECT_EQ(list->duplicates, Hosts({"n2", "a"}));
}

TEST(HostListTest, MalformedListsNameTokenAndPosition) {
  const Choice kErrors[] = {
      {"", "host list: empty; name at least one host"},
      {"a, n[45-33]", "host list, position 4: \"n[45-33]\": \"45-33\" in brackets runs backwards"},
      {"a,n[01", "host list, position 3: \"n[01\": ']' is missing after '['"},
      {"n01]", "host list, position 1: \"n01]\": ']' without a '[' before it"},
      {"n[[01]]", "host list, position 1: \"n[[01]]\": brackets cannot be nested"},
      {"n[]",
       "host list, position 1: \"n[]\": \"\" in brackets is no number and no range such as "
       "01-16"},
      {"n[a-c]",
       "host list, position 1: \"n[a-c]\": \"a-c\" in brackets is no number and no range "
       "such as 01-16"},
      {"n[1-03]",
       "host list, position 1: \"n[1-03]\": \"1-03\" in brackets pads its two ends to different "
       "widths"},
      {"n1,", "host list, position 4: a host is missing here; remove the ',' or name one"},
      {"n1 n2",
       "host list, position 1: \"n1 n2\": white space inside \"n1 n2\"; separate hosts by "
       "','"},
      {"a,b;c", "host list, position 3: \"b;c\": character \";\" cannot stand in a host"},
      {"a,fe80::1",
       "host list, position 3: host \"fe80::1\": more than one ':'; an IPv6 address "
       "stands in brackets, [::1]"},
      {"a:0", "host list, position 1: host \"a:0\": \":0\" is no port; write :1 to :65535"},
      {"a:[65535-65536]",
       "host list, position 1: host \"a:65536\": \":65536\" is no port; write :1 to :65535"},
      {"@", "host list, position 1: \"@\" needs the path of a file"},
      {"a,@/nowhere/hosts",
       "host list, position 3: cannot read hosts file \"/nowhere/hosts\": No such file or "
       "directory"},
  };
  for (const Choice& error : kErrors) EXPECT_EQ(Error(error.text), error.wanted);
}

TEST(HostListTest, NamesLongerThanAnyHostAreRefused) {
  EXPECT_EQ(ParseHostList(std::string(261, 'a')).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseHostList(std::string(259, 'a') + "[8-10]").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseHostList(std::string(kMaxHostListBytes + 1, 'a')).status().code(),
            absl::StatusCode::kResourceExhausted);
}

class HostFileTest : public ::testing::Test {
 protected:
  HostFileTest() : path_(absl::StrCat(testing::TempDir(), "/hosts.", getpid())) {}
  ~HostFileTest() override { unlink(path_.c_str()); }
  void Write(absl::string_view text) {
    std::ofstream file(path_);
    file << std::string(text);
  }

  const std::string path_;
};

TEST_F(HostFileTest, OneListALineWithComments) {
  Write("# the lab\nn[1-2], c  # two and one\r\n\n  \n[::1]:7\nn2");

  const absl::StatusOr<HostList> list = ParseHostList("a,@" + path_ + ",z");

  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->hosts, Hosts({"a", "n1", "n2", "c", "[::1]:7", "z"}));
  EXPECT_EQ(list->duplicates, Hosts({"n2"}));
}

TEST_F(HostFileTest, ErrorsNameFileAndLine) {
  Write("a\nb,n[3-1]\n");

  EXPECT_EQ(Error("@" + path_), "hosts file \"" + path_ +
                                    "\", line 2, position 3: \"n[3-1]\": "
                                    "\"3-1\" in brackets runs backwards");
}

TEST_F(HostFileTest, FilesDoNotIncludeFiles) {
  Write("@" + path_);

  EXPECT_EQ(Error("@" + path_), "hosts file \"" + path_ + "\", line 1, position 1: \"@" + path_ +
                                    "\": a hosts file cannot include another");
}

TEST_F(HostFileTest, EmptyFileIsAnError) {
  Write("# nobody\n");

  EXPECT_EQ(Error("@" + path_), "host list: no host in it; name at least one");
}

TEST_F(HostFileTest, LongFileIsRefused) {
  Write(std::string(kMaxHostListBytes + 1, '\n'));
  EXPECT_EQ(ParseHostList("@" + path_).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ParseHostList("@/dev/zero").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(HostFileTest, UnreadableFileIsNotFound) {
  EXPECT_EQ(ParseHostList("@" + path_).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ParseHostList("@/proc").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace pmu
