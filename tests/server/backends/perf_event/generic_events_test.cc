#include "server/backends/perf_event/generic_events.h"

#include <linux/perf_event.h>

#include <set>

#include "gtest/gtest.h"

namespace pmu::server {
namespace {

uint64_t CacheConfig(uint64_t cache, uint64_t operation, uint64_t result) {
  return cache | operation << 8 | result << 16;
}

TEST(GenericEventsTest, BothSpellingsAreOneEvent) {
  EXPECT_EQ(FindHardwareEvent("cycles")->config, FindHardwareEvent("cpu-cycles")->config);
  EXPECT_EQ(FindHardwareEvent("branches")->config, uint64_t{PERF_COUNT_HW_BRANCH_INSTRUCTIONS});
  EXPECT_EQ(FindSoftwareEvent("cs")->config, uint64_t{PERF_COUNT_SW_CONTEXT_SWITCHES});
  EXPECT_EQ(FindSoftwareEvent("faults")->name, "page-faults");
}

TEST(GenericEventsTest, ClocksAreInNanoseconds) {
  EXPECT_EQ(FindSoftwareEvent("task-clock")->unit, "ns");
  EXPECT_EQ(FindSoftwareEvent("cpu-clock")->unit, "ns");
  EXPECT_EQ(FindSoftwareEvent("page-faults")->unit, "");
}

TEST(GenericEventsTest, CacheEventsOfPerfList) {
  EXPECT_EQ(FindCacheEvent("L1-dcache-load-misses")->config,
            CacheConfig(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ,
                        PERF_COUNT_HW_CACHE_RESULT_MISS));
  EXPECT_EQ(FindCacheEvent("LLC-stores")->config,
            CacheConfig(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_WRITE,
                        PERF_COUNT_HW_CACHE_RESULT_ACCESS));
  EXPECT_EQ(FindCacheEvent("dTLB-prefetch-misses")->config,
            CacheConfig(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_PREFETCH,
                        PERF_COUNT_HW_CACHE_RESULT_MISS));
  EXPECT_EQ(FindCacheEvent("l1d-read-misses")->name, "L1-dcache-load-misses");
  EXPECT_EQ(FindCacheEvent("LLC-loads")->type, uint32_t{PERF_TYPE_HW_CACHE});
}

TEST(GenericEventsTest, SenselessCombinationsAreNoEvents) {
  for (const char* name : {"L1-icache-stores", "iTLB-store-misses", "branch-prefetches", "LLC",
                           "LLC-", "LLC-sneezes", "L1-dcache-load-missesx", ""}) {
    EXPECT_FALSE(FindCacheEvent(name).has_value()) << name;
  }
  EXPECT_FALSE(FindHardwareEvent("").has_value());
  EXPECT_FALSE(FindSoftwareEvent("Page-Faults").has_value());
}

TEST(GenericEventsTest, ListsNameEachEventOnceAndFindThem) {
  std::set<std::string> names;
  for (const GenericEvent& event : HardwareEvents()) {
    EXPECT_EQ(FindHardwareEvent(event.name)->config, event.config);
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
  }
  for (const GenericEvent& event : SoftwareEvents()) {
    EXPECT_EQ(FindSoftwareEvent(event.name)->config, event.config);
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
  }
  for (const GenericEvent& event : CacheEvents()) {
    ASSERT_TRUE(FindCacheEvent(event.name).has_value()) << event.name;
    EXPECT_EQ(FindCacheEvent(event.name)->config, event.config) << event.name;
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
  }
}

}  // namespace
}  // namespace pmu::server
