#include "server/backends/x86_pmc/pfm_names.h"

#include <perfmon/pfmlib.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"

namespace pmu::server {
namespace {

// Around every call of libpfm4.
absl::Mutex& PfmMutex() {
  static absl::Mutex& mutex = *new absl::Mutex;
  return mutex;
}

// Once, with the lock held.
bool Initialized() {
  static const bool ok = [] {
    // Tables of other CPUs, too: of simulated ones.
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
    return pfm_initialize() == PFM_SUCCESS;
  }();
  return ok;
}

template <typename Info>
Info EmptyInfo() {
  Info info = {};
  info.size = sizeof(info);
  return info;
}

absl::optional<pfm_pmu_t> FindTable(const std::string& name) {
  for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t info = EmptyInfo<pfm_pmu_info_t>();
    const pfm_pmu_t pmu = static_cast<pfm_pmu_t>(i);
    if (pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && name == info.name) return pmu;
  }
  return absl::nullopt;
}

std::string TableOfThisMachine() {
  for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t info = EmptyInfo<pfm_pmu_info_t>();
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &info) != PFM_SUCCESS) continue;
    // Architectural events alone are the last resort.
    if (info.is_present && info.type == PFM_PMU_TYPE_CORE && !absl::StartsWith(info.name, "ix86")) {
      return info.name;
    }
  }
  return "";
}

std::string TableByModel(const CpuIdentity& identity, PmcClass pmc_class) {
  if (pmc_class == PmcClass::kI686) {
    if (identity.model >= 9) return identity.model == 9 || identity.model == 13 ? "pm" : "p6";
    if (identity.model >= 7) return "pii";
    return identity.model >= 3 ? "pii" : "ppro";
  }
  if (pmc_class == PmcClass::kArchitectural) {
    return identity.model == 0x5e ? "skl" : "ix86arch";
  }
  if (pmc_class == PmcClass::kAmd) {
    if (identity.family == 0x17)
      return identity.model >= 0x30 ? "amd64_fam17h_zen2" : "amd64_fam17h_zen1";
    if (identity.family == 0x10) return "amd64_fam10h_shanghai";
  }
  return "";
}

NamedPmcEvent FromSelect(absl::string_view name, uint64_t select) {
  NamedPmcEvent event;
  event.name = std::string(name);
  event.code = static_cast<uint32_t>((select & 0xff) | ((select >> 32) & 0xf) << 8);
  event.umask = static_cast<uint32_t>((select >> 8) & 0xff);
  event.cmask = static_cast<uint32_t>((select >> 24) & 0xff);
  event.edge = ((select >> 18) & 1) != 0;
  event.inv = ((select >> 23) & 1) != 0;
  return event;
}

// libpfm4's select for "table::EVENT:MASK"; nullopt: no such event, or one
// that needs more registers than the select.
absl::optional<uint64_t> Encode(const std::string& full_name) {
  pfm_pmu_encode_arg_t arg = EmptyInfo<pfm_pmu_encode_arg_t>();
  const int result =
      pfm_get_os_event_encoding(full_name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
  absl::optional<uint64_t> select;
  if (result == PFM_SUCCESS && arg.count == 1) select = arg.codes[0];
  free(arg.codes);
  return select;
}

std::string FirstLine(const char* text) {
  const std::string line = text == nullptr ? "" : text;
  return line.substr(0, line.find('\n'));
}

class PfmNameTable final : public PmcNames {
 public:
  explicit PfmNameTable(absl::string_view table) : table_(table) {}

  absl::optional<NamedPmcEvent> Find(absl::string_view name) const override {
    absl::MutexLock lock(&PfmMutex());
    if (!Initialized() || absl::StrContains(name, "::")) return absl::nullopt;
    const absl::optional<uint64_t> select =
        Encode(absl::StrCat(table_, "::", absl::StrReplaceAll(name, {{".", ":"}})));
    if (!select) return absl::nullopt;
    return FromSelect(name, *select);
  }

  std::vector<NamedPmcEvent> List() const override {
    absl::MutexLock lock(&PfmMutex());
    std::vector<NamedPmcEvent> events;
    const absl::optional<pfm_pmu_t> pmu = Initialized() ? FindTable(table_) : absl::nullopt;
    if (!pmu) return events;
    pfm_pmu_info_t table = EmptyInfo<pfm_pmu_info_t>();
    if (pfm_get_pmu_info(*pmu, &table) != PFM_SUCCESS) return events;
    for (int i = table.first_event; i != -1; i = pfm_get_event_next(i)) AddEvent(i, &events);
    return events;
  }

  std::string Source() const override { return absl::StrCat("libpfm4's table \"", table_, "\""); }

 private:
  // An entry a unit mask, or one when there is none.
  void AddEvent(int index, std::vector<NamedPmcEvent>* events) const {
    pfm_event_info_t event = EmptyInfo<pfm_event_info_t>();
    if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS) return;
    bool has_masks = false;
    for (int i = 0; i < event.nattrs; ++i) {
      pfm_event_attr_info_t attr = EmptyInfo<pfm_event_attr_info_t>();
      if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) != PFM_SUCCESS) continue;
      if (attr.type != PFM_ATTR_UMASK) continue;
      has_masks = true;
      Add(absl::StrCat(event.name, ".", attr.name), FirstLine(attr.desc), events);
    }
    if (!has_masks) Add(event.name, FirstLine(event.desc), events);
  }

  void Add(const std::string& name, std::string description,
           std::vector<NamedPmcEvent>* events) const {
    const absl::optional<uint64_t> select =
        Encode(absl::StrCat(table_, "::", absl::StrReplaceAll(name, {{".", ":"}})));
    if (!select) return;
    events->push_back(FromSelect(name, *select));
    events->back().description = std::move(description);
  }

  const std::string table_;
};

}  // namespace

std::string PfmTableFor(const CpuIdentity& identity, PmcClass pmc_class, bool is_this_machine) {
  absl::MutexLock lock(&PfmMutex());
  if (!Initialized()) return "";
  std::string table = is_this_machine ? TableOfThisMachine() : "";
  if (table.empty()) table = TableByModel(identity, pmc_class);
  return FindTable(table) ? table : "";
}

std::unique_ptr<PmcNames> PfmNames(absl::string_view table) {
  return std::make_unique<PfmNameTable>(table);
}

}  // namespace pmu::server
