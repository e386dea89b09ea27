#include "server/counter_catalog.h"

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_backend.h"
#include "tests/fakes/fake_clock.h"

namespace pmu::server {
namespace {

using ::testing::ElementsAre;

class CounterCatalogTest : public ::testing::Test {
 protected:
  CatalogPage List(const CatalogQuery& query) {
    absl::StatusOr<CatalogPage> page = catalog_.List(query);
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *page : CatalogPage();
  }

  static std::vector<std::string> Names(const CatalogPage& page) {
    std::vector<std::string> names;
    for (const CatalogEntry* entry : page.entries) names.push_back(entry->info.name);
    return names;
  }

  FakeClock clock_;
  FakeBackend backend_{"b"};
  FakeBackend other_{"a"};
  CounterCatalog catalog_{{&backend_, &other_}, &clock_, "secret"};
};

TEST_F(CounterCatalogTest, ListsAllBackendsInOrderOfName) {
  backend_.AddEvent("cycles");
  backend_.AddEvent("branches");
  other_.AddEvent("cci");

  const CatalogPage page = List({});

  EXPECT_THAT(Names(page), ElementsAre("branches", "cci", "cycles"));
  EXPECT_EQ(page.entries[1]->backend, "a");
  EXPECT_EQ(page.total_size, 3u);
  EXPECT_EQ(page.next_page_token, "");
}

TEST_F(CounterCatalogTest, PagesCoverEverythingOnce) {
  for (int i = 0; i < 25; ++i) backend_.AddEvent(absl::StrFormat("event-%02d", i));
  std::vector<std::string> names;
  CatalogQuery query;
  query.page_size = 10;

  do {
    const CatalogPage page = List(query);
    EXPECT_EQ(page.total_size, 25u);
    for (const std::string& name : Names(page)) names.push_back(name);
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());

  ASSERT_EQ(names.size(), 25u);
  EXPECT_EQ(names.front(), "event-00");
  EXPECT_EQ(names.back(), "event-24");
}

TEST_F(CounterCatalogTest, APageThatEndsTheListHasNoToken) {
  for (int i = 0; i < 10; ++i) backend_.AddEvent(absl::StrFormat("event-%02d", i));
  CatalogQuery query;
  query.page_size = 10;

  EXPECT_EQ(List(query).next_page_token, "");
}

TEST_F(CounterCatalogTest, PagesStayRightWhenTheListChanges) {
  for (const char* name : {"a", "b", "c", "d"}) backend_.AddEvent(name);
  CatalogQuery query;
  query.page_size = 2;
  query.page_token = List(query).next_page_token;

  backend_.AddEvent("aa");
  clock_.Advance(60'000'000'000);

  EXPECT_THAT(Names(List(query)), ElementsAre("c", "d"));
}

TEST_F(CounterCatalogTest, PageSizesHaveADefaultAndALimit) {
  for (int i = 0; i < 1001; ++i) backend_.AddEvent(absl::StrFormat("event-%04d", i));
  CatalogQuery query;

  EXPECT_EQ(List(query).entries.size(), kDefaultPageSize);
  query.page_size = 4'000'000'000;
  EXPECT_EQ(List(query).entries.size(), kMaxPageSize);
}

TEST_F(CounterCatalogTest, ForeignTokensAreRefused) {
  backend_.AddEvent("a");
  backend_.AddEvent("b");
  CatalogQuery query;
  query.page_size = 1;
  const std::string token = List(query).next_page_token;
  ASSERT_NE(token, "");
  CounterCatalog elsewhere({&backend_}, &clock_, "another secret");

  const auto refused = [](CounterCatalog& catalog, const std::string& page_token,
                          const std::string& filter) {
    CatalogQuery foreign;
    foreign.page_token = page_token;
    foreign.filter = filter;
    return catalog.List(foreign).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused(catalog_, "x", ""));
  EXPECT_TRUE(refused(catalog_, ".", ""));
  EXPECT_TRUE(refused(catalog_, token + "0", ""));
  EXPECT_TRUE(refused(catalog_, token, "other filter"));
  EXPECT_TRUE(refused(elsewhere, token, ""));
}

TEST_F(CounterCatalogTest, FiltersByNameDescriptionAndAvailability) {
  backend_.AddEvent("cycles");
  backend_.AddBroken("mem-loads", absl::UnimplementedError("no PEBS"));
  CatalogQuery query;

  query.filter = "CYC";
  EXPECT_THAT(Names(List(query)), ElementsAre("cycles"));
  query.filter = "counts mem";  // the description
  EXPECT_THAT(Names(List(query)), ElementsAre("mem-loads"));
  query.filter = "*-l?ads";
  EXPECT_THAT(Names(List(query)), ElementsAre("mem-loads"));
  query.available_only = true;
  EXPECT_THAT(Names(List(query)), ElementsAre());
  query.filter = std::string(kMaxFilterBytes + 1, 'a');
  EXPECT_EQ(catalog_.List(query).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MatchesFilterTest, Globs) {
  EXPECT_TRUE(MatchesFilter("*", ""));
  EXPECT_TRUE(MatchesFilter("a*c", "abbc"));
  EXPECT_TRUE(MatchesFilter("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(MatchesFilter("?", "x"));
  EXPECT_FALSE(MatchesFilter("?", ""));
  EXPECT_FALSE(MatchesFilter("a*c", "abbd"));
  EXPECT_FALSE(MatchesFilter("a?", "a"));
  EXPECT_TRUE(MatchesFilter("[a*", "[ab")) << "brackets are plain characters";
}

TEST(MatchesFilterTest, ManyStarsDoNotExplode) {
  std::string glob;
  for (int i = 0; i < 100; ++i) glob += "*a";

  EXPECT_FALSE(MatchesFilter(glob + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace pmu::server
