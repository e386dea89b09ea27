#include "server/backends/x86_pmc/pmc_names.h"

#include "absl/strings/match.h"
#include "absl/types/span.h"

namespace pmu::server {
namespace {

struct TableEvent {
  uint32_t code;
  const char* name;
  const char* description;
  uint32_t umask = 0;
};

constexpr TableEvent kI586Events[] = {
    {0x00, "data_read", "data reads"},
    {0x01, "data_write", "data writes"},
    {0x02, "data_tlb_miss", "misses of the data TLB"},
    {0x03, "data_read_miss", "data reads that miss the cache"},
    {0x04, "data_write_miss", "data writes that miss the cache"},
    {0x05, "write_hit_m_or_e", "writes that hit a modified or exclusive line"},
    {0x06, "data_lines_written_back", "dirty data lines written back"},
    {0x07, "external_snoops", "snoops from outside"},
    {0x08, "external_snoop_hits", "snoops from outside that hit the data cache"},
    {0x09, "memory_access_both_pipes", "memory accesses of both pipes in one clock"},
    {0x0a, "bank_conflicts", "conflicts of both pipes over a cache bank"},
    {0x0b, "misaligned_refs", "misaligned memory or I/O references"},
    {0x0c, "code_read", "code reads"},
    {0x0d, "code_tlb_miss", "misses of the code TLB"},
    {0x0e, "code_miss", "code reads that miss the cache"},
    {0x0f, "segment_loads", "loads of segment registers"},
    {0x12, "branches", "branches, taken or not"},
    {0x13, "btb_hits", "hits of the branch target buffer"},
    {0x14, "taken_branch_or_btb_hit", "branches taken, or hits of the branch target buffer"},
    {0x15, "pipeline_flushes", "flushes of the pipeline"},
    {0x16, "instructions", "instructions"},
    {0x17, "instructions_v_pipe", "instructions in the V pipe"},
    {0x18, "bus_cycle_duration", "clocks in which a bus cycle is under way"},
    {0x19, "write_buffer_full_stall", "clocks stalled for full write buffers"},
    {0x1a, "data_read_stall", "clocks stalled waiting for data"},
    {0x1b, "stall_write_m_or_e", "clocks stalled by a write to a modified or exclusive line"},
    {0x1c, "locked_bus_cycles", "locked bus cycles"},
    {0x1d, "io_cycles", "I/O reads or writes"},
    {0x1e, "noncacheable_refs", "references to memory that is not cached"},
    {0x1f, "agi_stalls", "stalls for address generation"},
    {0x22, "flops", "floating-point operations"},
    {0x23, "breakpoint_match_dr0", "matches of breakpoint register 0"},
    {0x24, "breakpoint_match_dr1", "matches of breakpoint register 1"},
    {0x25, "breakpoint_match_dr2", "matches of breakpoint register 2"},
    {0x26, "breakpoint_match_dr3", "matches of breakpoint register 3"},
    {0x27, "hardware_interrupts", "hardware interrupts"},
    {0x28, "data_read_or_write", "data reads or writes"},
    {0x29, "data_miss", "data reads or writes that miss the cache"},
};

// The unit mask of the L2 cache's events: all states of a line.
constexpr TableEvent kI686Events[] = {
    {0x03, "LD_BLOCKS", "loads delayed by store buffer blocks"},
    {0x04, "SB_DRAINS", "cycles in which the store buffer drains"},
    {0x05, "MISALIGN_MEM_REF", "misaligned data references"},
    {0x06, "SEGMENT_REG_LOADS", "loads of segment registers"},
    {0x10, "FP_COMP_OPS_EXE", "floating-point operations executed; counter 0 only"},
    {0x11, "FP_ASSIST", "floating-point exceptions handled by microcode; counter 1 only"},
    {0x12, "MUL", "multiplications; counter 1 only"},
    {0x13, "DIV", "divisions; counter 1 only"},
    {0x14, "CYCLES_DIV_BUSY", "cycles in which the divider is busy; counter 0 only"},
    {0x21, "L2_ADS", "address strobes of the L2 cache"},
    {0x24, "L2_LINES_IN", "lines allocated in the L2 cache"},
    {0x26, "L2_LINES_OUT", "lines removed from the L2 cache"},
    {0x28, "L2_IFETCH", "instruction fetches from the L2 cache", 0xf},
    {0x29, "L2_LD", "data loads from the L2 cache", 0xf},
    {0x2a, "L2_ST", "data stores to the L2 cache", 0xf},
    {0x2e, "L2_RQSTS", "requests of the L2 cache", 0xf},
    {0x43, "DATA_MEM_REFS", "loads and stores, all memory types"},
    {0x45, "DCU_LINES_IN", "lines allocated in the data cache"},
    {0x48, "DCU_MISS_OUTSTANDING", "cycles weighted with data cache misses outstanding"},
    {0x70, "BUS_TRAN_ANY", "bus transactions"},
    {0x6f, "BUS_TRAN_MEM", "memory bus transactions"},
    {0x79, "CPU_CLK_UNHALTED", "cycles in which the processor is not halted"},
    {0x80, "IFU_IFETCH", "instruction fetches"},
    {0x81, "IFU_IFETCH_MISS", "instruction fetches that miss"},
    {0x85, "ITLB_MISS", "misses of the instruction TLB"},
    {0x86, "IFU_MEM_STALL", "cycles in which instruction fetch is stalled"},
    {0xa2, "RESOURCE_STALLS", "cycles stalled for resources"},
    {0xc0, "INST_RETIRED", "instructions retired"},
    {0xc1, "FLOPS", "floating-point operations retired; counter 0 only"},
    {0xc2, "UOPS_RETIRED", "micro-operations retired"},
    {0xc4, "BR_INST_RETIRED", "branches retired"},
    {0xc5, "BR_MISS_PRED_RETIRED", "mispredicted branches retired"},
    {0xc6, "CYCLES_INT_MASKED", "cycles with interrupts disabled"},
    {0xc8, "HW_INT_RX", "hardware interrupts received"},
    {0xc9, "BR_TAKEN_RETIRED", "taken branches retired"},
    {0xd0, "INST_DECODED", "instructions decoded"},
    {0xd2, "PARTIAL_RAT_STALLS", "cycles with partial register stalls"},
    {0xe0, "BR_INST_DECODED", "branches decoded"},
    {0xe2, "BTB_MISSES", "branches that miss the branch target buffer"},
    {0xe6, "BACLEARS", "static predictions of branches"},
};

NamedPmcEvent Named(const TableEvent& event) {
  NamedPmcEvent named;
  named.name = event.name;
  named.description = event.description;
  named.code = event.code;
  named.umask = event.umask;
  return named;
}

class NameTable final : public PmcNames {
 public:
  NameTable(absl::Span<const TableEvent> events, const char* source)
      : events_(events), source_(source) {}

  absl::optional<NamedPmcEvent> Find(absl::string_view name) const override {
    for (const TableEvent& event : events_) {
      if (absl::EqualsIgnoreCase(name, event.name)) return Named(event);
    }
    return absl::nullopt;
  }
  std::vector<NamedPmcEvent> List() const override {
    std::vector<NamedPmcEvent> events;
    for (const TableEvent& event : events_) events.push_back(Named(event));
    return events;
  }
  std::string Source() const override { return source_; }

 private:
  const absl::Span<const TableEvent> events_;
  const char* const source_;
};

class EmptyNames final : public PmcNames {
 public:
  absl::optional<NamedPmcEvent> Find(absl::string_view) const override { return absl::nullopt; }
  std::vector<NamedPmcEvent> List() const override { return {}; }
  std::string Source() const override { return "no table"; }
};

}  // namespace

const PmcNames& I586Names() {
  static const NameTable& names = *new NameTable(kI586Events, "the table of class i586");
  return names;
}

const PmcNames& I686Names() {
  static const NameTable& names = *new NameTable(kI686Events, "the table of class i686");
  return names;
}

const PmcNames& NoPmcNames() {
  static const EmptyNames& names = *new EmptyNames;
  return names;
}

}  // namespace pmu::server
