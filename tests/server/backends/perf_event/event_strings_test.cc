// Every row of tests/cases/tables/event_strings.tsv, parsed and resolved with
// the row's tree as root.
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/backends/perf_event/perf_event_backend.h"

namespace pmu::server {
namespace {

struct Row {
  std::string tree;
  std::string text;
  std::string want;
};

std::vector<Row> ReadTable() {
  std::vector<Row> rows;
  std::ifstream file("tests/cases/tables/event_strings.tsv");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() < 3 || columns[0][0] == '#') continue;
    rows.push_back({columns[0], columns[1], columns[2]});
  }
  return rows;
}

using Resolved = absl::StatusOr<std::vector<ResolvedEvent>>;

Resolved ResolveText(const std::string& root, const std::string& text) {
  const absl::StatusOr<std::vector<EventSpec>> specs = ParseEventList(text);
  if (!specs.ok()) return specs.status();
  PerfEventOptions options;
  options.root = root;
  const std::unique_ptr<PerfEventBackend> backend = *PerfEventBackend::Create(options);
  std::vector<ResolvedEvent> all;
  for (const EventSpec& spec : *specs) {
    const Resolved events = backend->Resolve(spec, CounterTarget());
    if (!events.ok()) return events.status();
    all.insert(all.end(), events->begin(), events->end());
  }
  return all;
}

uint64_t FieldOf(const ResolvedEvent& event, const std::string& name) {
  const EventEncoding& encoding = event.encoding;
  if (name == "type") return encoding.type;
  if (name == "config") return encoding.config;
  if (name == "config1") return encoding.config1;
  if (name == "config2") return encoding.config2;
  if (name == "exclude_user") return encoding.exclude_user;
  if (name == "exclude_kernel") return encoding.exclude_kernel;
  ADD_FAILURE() << "the table wants an unknown field " << name;
  return 0;
}

uint64_t Number(const std::string& text) {
  uint64_t number = 0;
  const bool parsed = absl::StartsWith(text, "0x") ? absl::SimpleHexAtoi(text, &number)
                                                   : absl::SimpleAtoi(text, &number);
  EXPECT_TRUE(parsed) << text;
  return number;
}

std::vector<std::string> WordsOf(const std::string& text) {
  return absl::StrSplit(text, absl::ByAnyChar(" ,;:()"), absl::SkipEmpty());
}

// What an error message must hold, from the words after "ERROR".
void ExpectMessage(const std::string& want, const std::string& message) {
  const std::vector<std::string> words = WordsOf(want);
  std::vector<std::string> wanted;
  bool needs = false;  // all words after "needs" are names
  for (size_t i = 0; i < words.size(); ++i) {
    if (needs) wanted.push_back(words[i]);
    needs |= words[i] == "needs";
    if (words[i] == "bits" && i > 0) wanted.push_back(words[i - 1] + " bits");
    if (absl::StartsWith(words[i], "0x") || words[i] == "511" || words[i] == "zzz" ||
        words[i] == "position" || words[i] == "16") {
      wanted.push_back(words[i]);
    }
  }
  for (const char* phrase : {"no user/kernel filter", "not a valid event"}) {
    if (absl::StrContains(want, phrase)) wanted.push_back(phrase);
  }
  for (const std::string& part : wanted) {
    EXPECT_TRUE(absl::StrContains(message, part)) << part << " is missing in: " << message;
  }
}

// "config=0x13c exclude_kernel=1" as pairs; other words of the column are left
// out, and so are the fields of the alias that some rows quote.
std::vector<std::pair<std::string, std::string>> WantedFields(const std::string& want) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const std::string& word : WordsOf(want)) {
    const std::pair<std::string, std::string> field = absl::StrSplit(word, absl::MaxSplits('=', 1));
    for (const char* name :
         {"type", "config", "config1", "config2", "exclude_user", "exclude_kernel"}) {
      if (field.first == name) fields.push_back(field);
    }
  }
  return fields;
}

class EventStringsTest : public testing::TestWithParam<Row> {};

TEST_P(EventStringsTest, ResolvesAsTheTableSays) {
  const Row& row = GetParam();

  const Resolved events = ResolveText("tests/cases/sysfs/" + row.tree, row.text);

  if (absl::StartsWith(row.want, "ERROR")) {
    ASSERT_FALSE(events.ok()) << "config=0x" << std::hex << events->front().encoding.config;
    ExpectMessage(row.want, std::string(events.status().message()));
    return;
  }
  if (absl::StrContains(row.want, "or a clear error") && !events.ok()) {
    EXPECT_FALSE(events.status().message().empty());
    return;
  }
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_FALSE(events->empty());
  for (const auto& field : WantedFields(row.want)) {
    for (const ResolvedEvent& event : *events) {
      EXPECT_EQ(FieldOf(event, field.first), Number(field.second)) << field.first;
    }
  }
  if (absl::StartsWith(row.want, "raw ")) {
    EXPECT_EQ(events->front().encoding.type, 4u);
  }
  if (absl::StrContains(row.want, "as above")) {
    EXPECT_EQ(events->front().encoding.config, 0x300u);
  }
  if (absl::StrContains(row.want, "2 events, one group")) {
    ASSERT_EQ(events->size(), 2u);
    EXPECT_EQ((*events)[0].group, 1);
    EXPECT_EQ((*events)[1].group, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EventStringsTest, testing::ValuesIn(ReadTable()));

TEST(EventStringsTableTest, TheTableIsThereAndWantsSomething) {
  const std::vector<Row> rows = ReadTable();
  EXPECT_GE(rows.size(), 45u);
  for (const Row& row : rows) {
    if (absl::StartsWith(row.want, "ERROR") || absl::StrContains(row.want, "2 events")) continue;
    EXPECT_FALSE(WantedFields(row.want).empty()) << row.text << ": " << row.want;
  }
}

// The group form and the two spellings of the same event agree.
TEST(EventStringsTableTest, SuffixReachesEverySpelling) {
  const std::string root = "tests/cases/sysfs/skx-2s36c";

  const Resolved name = ResolveText(root, "cpu-cycles:k");
  const Resolved terms = ResolveText(root, "cpu/cpu-cycles/k");

  ASSERT_TRUE(name.ok() && terms.ok());
  EXPECT_EQ(name->front().encoding.type, terms->front().encoding.type);
  EXPECT_EQ(name->front().encoding.config, terms->front().encoding.config);
  EXPECT_TRUE(name->front().encoding.exclude_user);
  EXPECT_FALSE(name->front().encoding.exclude_kernel);
}

}  // namespace
}  // namespace pmu::server
