#include "server/backends/cci400/cci400_events.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::server {
namespace {

constexpr Cci400Event kSlaveEvents[] = {
    {"si_rrq_hs_any", 0x00, false, "read requests accepted, of any kind"},
    {"si_rrq_hs_device", 0x01, false, "read requests accepted: device memory"},
    {"si_rrq_hs_normal_or_nonshareable", 0x02, false,
     "read requests accepted: normal memory, not shareable or system shareable"},
    {"si_rrq_hs_inner_or_outershareable", 0x03, false,
     "read requests accepted: inner or outer shareable"},
    {"si_rrq_hs_cache_maintenance", 0x04, false, "cache maintenance operations accepted"},
    {"si_rrq_hs_mem_barrier", 0x05, false, "memory barriers accepted"},
    {"si_rrq_hs_sync_barrier", 0x06, false, "synchronization barriers accepted"},
    {"si_rrq_hs_dvm_msg", 0x07, false, "DVM messages accepted, not counting synchronizations"},
    {"si_rrq_hs_dvm_msg_sync", 0x08, false, "DVM synchronization messages accepted"},
    {"si_rrq_stall_tt_full", 0x09, false, "read requests stalled: transaction tracker full"},
    {"si_r_data_last_hs_snoop", 0x0a, false, "reads whose data came from a snoop (snoop hits)"},
    {"si_r_data_stall_rvalids_h_rready_l", 0x0b, false,
     "cycles in which read data waited for the receiver (RVALIDS high, RREADYS low)"},
    {"si_wrq_hs_any", 0x0c, false, "write requests accepted, of any kind"},
    {"si_wrq_hs_device", 0x0d, false, "write requests accepted: device memory"},
    {"si_wrq_hs_normal_or_nonshareable", 0x0e, false,
     "write requests accepted: normal memory, not shareable or system shareable"},
    {"si_wrq_hs_inner_or_outershare_wback_wclean", 0x0f, false,
     "write requests accepted: shareable WriteBack or WriteClean"},
    {"si_wrq_hs_write_unique", 0x10, false, "write requests accepted: WriteUnique"},
    {"si_wrq_hs_write_line_unique", 0x11, false, "write requests accepted: WriteLineUnique"},
    {"si_wrq_hs_evict", 0x12, false, "write requests accepted: Evict"},
    {"si_wrq_stall_tt_full", 0x13, false, "write requests stalled: transaction tracker full"},
};

constexpr Cci400Event kR1SlaveEvents[] = {
    {"si_rrq_stall_slave_id_hazard", 0x14, false, "read requests stalled: slave ID hazard"},
};

constexpr Cci400Event kR0MasterEvents[] = {
    {"mi_retry_speculative_fetch", 0x14, true, "speculative fetches that had to be repeated"},
    {"mi_rrq_stall_addr_hazard", 0x15, true, "read requests stalled: address hazard"},
    {"mi_rrq_stall_id_hazard", 0x16, true, "read requests stalled: ID hazard"},
    {"mi_rrq_stall_tt_full", 0x17, true, "read requests stalled: transaction tracker full"},
    {"mi_rrq_stall_barrier_hazard", 0x18, true, "read requests stalled: barrier hazard"},
    {"mi_wrq_stall_barrier_hazard", 0x19, true, "write requests stalled: barrier hazard"},
    {"mi_wrq_stall_tt_full", 0x1a, true, "write requests stalled: transaction tracker full"},
};

constexpr Cci400Event kR1MasterEvents[] = {
    {"mi_retry_speculative_fetch", 0x00, true, "speculative fetches that had to be repeated"},
    {"mi_stall_cycle_addr_hazard", 0x01, true, "cycles stalled: address hazard"},
    {"mi_rrq_stall_master_id_hazard", 0x02, true, "read requests stalled: master ID hazard"},
    {"mi_rrq_stall_hi_prio_rtq_full", 0x03, true,
     "read requests stalled: read queue full, high priority"},
    {"mi_rrq_stall_barrier_hazard", 0x04, true, "read requests stalled: barrier hazard"},
    {"mi_wrq_stall_barrier_hazard", 0x05, true, "write requests stalled: barrier hazard"},
    {"mi_wrq_stall_wtq_full", 0x06, true, "write requests stalled: write queue full"},
    {"mi_rrq_stall_low_prio_rtq_full", 0x07, true,
     "read requests stalled: read queue full, low priority"},
    {"mi_rrq_stall_mid_prio_rtq_full", 0x08, true,
     "read requests stalled: read queue full, medium priority"},
    {"mi_rrq_stall_qvn_vn0", 0x09, true, "read requests stalled: no QVN token, network 0"},
    {"mi_rrq_stall_qvn_vn1", 0x0a, true, "read requests stalled: no QVN token, network 1"},
    {"mi_rrq_stall_qvn_vn2", 0x0b, true, "read requests stalled: no QVN token, network 2"},
    {"mi_rrq_stall_qvn_vn3", 0x0c, true, "read requests stalled: no QVN token, network 3"},
    {"mi_wrq_stall_qvn_vn0", 0x0d, true, "write requests stalled: no QVN token, network 0"},
    {"mi_wrq_stall_qvn_vn1", 0x0e, true, "write requests stalled: no QVN token, network 1"},
    {"mi_wrq_stall_qvn_vn2", 0x0f, true, "write requests stalled: no QVN token, network 2"},
    {"mi_wrq_stall_qvn_vn3", 0x10, true, "write requests stalled: no QVN token, network 3"},
    {"mi_wrq_unique_or_line_unique_addr_hazard", 0x11, true,
     "WriteUnique or WriteLineUnique stalled: address hazard"},
};

// The codes of one kind of interface are a range without holes.
struct CodeRange {
  uint32_t first;
  uint32_t last;
};
CodeRange ValidCodes(Cci400Revision revision, bool is_master) {
  CodeRange range = {~0u, 0};
  for (const Cci400Event& event : Cci400Events(revision)) {
    if (event.is_master != is_master) continue;
    if (event.code < range.first) range.first = event.code;
    if (event.code > range.last) range.last = event.code;
  }
  return range;
}

template <size_t kCount>
void Append(const Cci400Event (&events)[kCount], std::vector<Cci400Event>* out) {
  out->insert(out->end(), events, events + kCount);
}

std::vector<Cci400Event> BuildEvents(Cci400Revision revision) {
  std::vector<Cci400Event> events;
  Append(kSlaveEvents, &events);
  if (revision == Cci400Revision::kR0) {
    Append(kR0MasterEvents, &events);
  } else {
    Append(kR1SlaveEvents, &events);
    Append(kR1MasterEvents, &events);
  }
  return events;
}

// "S3" without its name.
std::string ShortInterfaceText(uint32_t source) {
  return IsMasterInterface(source) ? absl::StrCat("M", source - 5) : absl::StrCat("S", source);
}

}  // namespace

Cci400Revision Cci400RevisionOf(uint32_t peripheral_id2) {
  return ((peripheral_id2 >> 4) & 0xf) < 5 ? Cci400Revision::kR0 : Cci400Revision::kR1;
}

const char* Cci400RevisionName(Cci400Revision revision) {
  return revision == Cci400Revision::kR0 ? "r0" : "r1";
}

const std::vector<Cci400Event>& Cci400Events(Cci400Revision revision) {
  static const auto& r0 = *new std::vector<Cci400Event>(BuildEvents(Cci400Revision::kR0));
  static const auto& r1 = *new std::vector<Cci400Event>(BuildEvents(Cci400Revision::kR1));
  return revision == Cci400Revision::kR0 ? r0 : r1;
}

const Cci400Event* FindCci400Event(Cci400Revision revision, absl::string_view name) {
  for (const Cci400Event& event : Cci400Events(revision)) {
    if (name == event.name) return &event;
  }
  return nullptr;
}

absl::Status AddCci400InterfaceName(absl::string_view text, Cci400InterfaceNames* names) {
  const size_t equals = text.find('=');
  const absl::string_view interface = absl::StripAsciiWhitespace(text.substr(0, equals));
  for (uint32_t source = 0; source < kCci400Sources && equals != absl::string_view::npos;
       ++source) {
    if (interface != ShortInterfaceText(source)) continue;
    (*names)[source] = std::string(absl::StripAsciiWhitespace(text.substr(equals + 1)));
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(text),
                   "\": expected INTERFACE=NAME with an interface of S0 to S4 or M0 to M2, as in "
                   "\"S3=A53 cluster\""));
}

std::string Cci400InterfaceText(uint32_t source, const Cci400InterfaceNames& names) {
  const std::string text = ShortInterfaceText(source);
  return names[source].empty() ? text : absl::StrCat(text, " (", names[source], ")");
}

absl::Status CheckCci400Code(Cci400Revision revision, uint32_t source, uint64_t code,
                             const Cci400InterfaceNames& names) {
  const bool is_master = IsMasterInterface(source);
  const CodeRange range = ValidCodes(revision, is_master);
  if (code >= range.first && code <= range.last) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "event 0x%02x is not valid on %s interface %s: a CCI-400 %s has 0x%02x to 0x%02x there", code,
      is_master ? "master" : "slave", Cci400InterfaceText(source, names),
      Cci400RevisionName(revision), range.first, range.last));
}

}  // namespace pmu::server
