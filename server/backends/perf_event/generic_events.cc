#include "server/backends/perf_event/generic_events.h"

#include <linux/perf_event.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

struct TableRow {
  absl::string_view name;
  absl::string_view second_name;  // "" when there is none
  uint64_t config;
  absl::string_view description;
  absl::string_view unit = "";
};

constexpr TableRow kHardware[] = {
    {"cycles", "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES, "CPU cycles, at the current frequency"},
    {"instructions", "", PERF_COUNT_HW_INSTRUCTIONS, "Retired instructions"},
    {"cache-references", "", PERF_COUNT_HW_CACHE_REFERENCES, "Last level cache accesses"},
    {"cache-misses", "", PERF_COUNT_HW_CACHE_MISSES, "Last level cache misses"},
    {"branches", "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     "Retired branch instructions"},
    {"branch-misses", "", PERF_COUNT_HW_BRANCH_MISSES, "Mispredicted branches"},
    {"bus-cycles", "", PERF_COUNT_HW_BUS_CYCLES, "Bus cycles"},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     "Cycles without instructions from the front end"},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     "Cycles in which the back end took nothing"},
    {"ref-cycles", "", PERF_COUNT_HW_REF_CPU_CYCLES, "CPU cycles at the reference frequency"},
};

constexpr TableRow kSoftware[] = {
    {"task-clock", "", PERF_COUNT_SW_TASK_CLOCK,
     "Time the counted tasks ran (system-wide: time passed per CPU)", "ns"},
    {"cpu-clock", "", PERF_COUNT_SW_CPU_CLOCK, "Time passed while counting, per CPU", "ns"},
    {"page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, "Page faults"},
    {"minor-faults", "", PERF_COUNT_SW_PAGE_FAULTS_MIN, "Page faults served without reading"},
    {"major-faults", "", PERF_COUNT_SW_PAGE_FAULTS_MAJ, "Page faults that had to read a device"},
    {"context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, "Context switches"},
    {"cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS,
     "Times a task moved to another CPU"},
    {"cgroup-switches", "", PERF_COUNT_SW_CGROUP_SWITCHES,
     "Context switches to a task of another cgroup"},
    {"alignment-faults", "", PERF_COUNT_SW_ALIGNMENT_FAULTS,
     "Unaligned accesses the kernel had to fix up"},
    {"emulation-faults", "", PERF_COUNT_SW_EMULATION_FAULTS,
     "Instructions the kernel had to emulate"},
    {"dummy", "", PERF_COUNT_SW_DUMMY, "Counts nothing; a place holder"},
};

// Cache names and operations as in perf-list(1), without its "L2" for what is really the last
// level cache. `operations`
// has a bit per operation that the kernel has events for: prefetching
// instructions or writing a branch predictor makes no sense.
enum Operation { kLoad = 1, kStore = 2, kPrefetch = 4 };
struct CacheRow {
  absl::string_view names[4];
  uint64_t id;
  int operations;
};
constexpr CacheRow kCaches[] = {
    {{"L1-dcache", "l1-d", "l1d", "L1-data"}, PERF_COUNT_HW_CACHE_L1D, kLoad | kStore | kPrefetch},
    {{"L1-icache", "l1-i", "l1i", "L1-instruction"}, PERF_COUNT_HW_CACHE_L1I, kLoad | kPrefetch},
    {{"LLC", "", "", ""}, PERF_COUNT_HW_CACHE_LL, kLoad | kStore | kPrefetch},
    {{"dTLB", "d-tlb", "Data-TLB", ""}, PERF_COUNT_HW_CACHE_DTLB, kLoad | kStore | kPrefetch},
    {{"iTLB", "i-tlb", "Instruction-TLB", ""}, PERF_COUNT_HW_CACHE_ITLB, kLoad},
    {{"branch", "bpu", "btb", "bpc"}, PERF_COUNT_HW_CACHE_BPU, kLoad},
    {{"node", "", "", ""}, PERF_COUNT_HW_CACHE_NODE, kLoad | kStore | kPrefetch},
};

struct OperationRow {
  // The first two spellings stand for accesses, the others go with misses.
  absl::string_view plural;    // "-loads": accesses
  absl::string_view singular;  // "-load-misses"
  absl::string_view verb;      // "-read-misses"
  Operation operation;
  uint64_t id;
};
constexpr OperationRow kOperations[] = {
    {"loads", "load", "read", kLoad, PERF_COUNT_HW_CACHE_OP_READ},
    {"stores", "store", "write", kStore, PERF_COUNT_HW_CACHE_OP_WRITE},
    {"prefetches", "prefetch", "speculative-read", kPrefetch, PERF_COUNT_HW_CACHE_OP_PREFETCH},
};

GenericEvent FromRow(const TableRow& row, uint32_t type) {
  return {std::string(row.name), type, row.config, std::string(row.unit),
          std::string(row.description)};
}

template <size_t kSize>
absl::optional<GenericEvent> FindIn(const TableRow (&table)[kSize], uint32_t type,
                                    absl::string_view name) {
  if (name.empty()) return absl::nullopt;
  for (const TableRow& row : table) {
    if (row.name == name || row.second_name == name) return FromRow(row, type);
  }
  return absl::nullopt;
}

template <size_t kSize>
std::vector<GenericEvent> AllOf(const TableRow (&table)[kSize], uint32_t type) {
  std::vector<GenericEvent> events;
  for (const TableRow& row : table) events.push_back(FromRow(row, type));
  return events;
}

GenericEvent CacheEvent(const CacheRow& cache, const OperationRow& operation, bool misses) {
  GenericEvent event;
  event.type = PERF_TYPE_HW_CACHE;
  const uint64_t result =
      misses ? PERF_COUNT_HW_CACHE_RESULT_MISS : PERF_COUNT_HW_CACHE_RESULT_ACCESS;
  event.config = cache.id | (operation.id << 8) | (result << 16);
  event.name = misses ? absl::StrCat(cache.names[0], "-", operation.singular, "-misses")
                      : absl::StrCat(cache.names[0], "-", operation.plural);
  event.description =
      absl::StrCat(cache.names[0], " ", operation.singular, misses ? " misses" : " accesses");
  return event;
}

// What follows "CACHE-" in a cache event's name: "loads", "load-misses",
// "read-access", "misses" (of loads). 0 no, 1 accesses, 2 misses.
int MatchOperation(absl::string_view rest, const OperationRow& operation) {
  for (const absl::string_view word : {operation.plural, operation.singular, operation.verb}) {
    if (!absl::StartsWithIgnoreCase(rest, word)) continue;
    const absl::string_view tail = rest.substr(word.size());
    for (const absl::string_view accesses : {"", "-refs", "-reference", "-ops", "-access"}) {
      if (absl::EqualsIgnoreCase(tail, accesses)) return 1;
    }
    for (const absl::string_view misses : {"-misses", "-miss"}) {
      if (absl::EqualsIgnoreCase(tail, misses)) return 2;
    }
  }
  return 0;
}

absl::optional<GenericEvent> FindInCache(const CacheRow& cache, absl::string_view rest) {
  for (const OperationRow& operation : kOperations) {
    if ((cache.operations & operation.operation) == 0) continue;
    const int match = MatchOperation(rest, operation);
    if (match != 0) return CacheEvent(cache, operation, match == 2);
  }
  return absl::nullopt;
}

}  // namespace

absl::optional<GenericEvent> FindHardwareEvent(absl::string_view name) {
  return FindIn(kHardware, PERF_TYPE_HARDWARE, name);
}

absl::optional<GenericEvent> FindSoftwareEvent(absl::string_view name) {
  return FindIn(kSoftware, PERF_TYPE_SOFTWARE, name);
}

absl::optional<GenericEvent> FindCacheEvent(absl::string_view name) {
  for (const CacheRow& cache : kCaches) {
    for (const absl::string_view cache_name : cache.names) {
      if (cache_name.empty() || !absl::StartsWithIgnoreCase(name, cache_name)) continue;
      absl::string_view rest = name.substr(cache_name.size());
      if (rest.empty() || rest[0] != '-') continue;
      rest.remove_prefix(1);
      absl::optional<GenericEvent> found = FindInCache(cache, rest);
      if (found.has_value()) return found;
    }
  }
  return absl::nullopt;
}

std::vector<GenericEvent> HardwareEvents() { return AllOf(kHardware, PERF_TYPE_HARDWARE); }

std::vector<GenericEvent> SoftwareEvents() { return AllOf(kSoftware, PERF_TYPE_SOFTWARE); }

std::vector<GenericEvent> CacheEvents() {
  std::vector<GenericEvent> events;
  for (const CacheRow& cache : kCaches) {
    for (const OperationRow& operation : kOperations) {
      if ((cache.operations & operation.operation) == 0) continue;
      events.push_back(CacheEvent(cache, operation, false));
      events.push_back(CacheEvent(cache, operation, true));
    }
  }
  return events;
}

absl::string_view ArmAliasOfHardwareEvent(absl::string_view name) {
  struct Row {
    absl::string_view generic;
    absl::string_view alias;
  };
  static constexpr Row kRows[] = {
      {"cycles", "cpu_cycles"},
      {"instructions", "inst_retired"},
      {"cache-references", "l1d_cache"},
      {"cache-misses", "l1d_cache_refill"},
      {"branch-misses", "br_mis_pred"},
      {"bus-cycles", "bus_cycles"},
      {"stalled-cycles-frontend", "stall_frontend"},
      {"stalled-cycles-backend", "stall_backend"},
  };
  for (const Row& row : kRows) {
    if (row.generic == name) return row.alias;
  }
  return "";
}

}  // namespace pmu::server
