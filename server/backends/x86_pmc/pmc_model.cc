#include "server/backends/x86_pmc/pmc_model.h"

#include <algorithm>

namespace pmu::server {
namespace {

constexpr uint32_t kCesr = 0x11;
constexpr uint32_t kI586Counter0 = 0x12;
constexpr uint32_t kIntelSelect0 = 0x186;
constexpr uint32_t kIntelCounter0 = 0xc1;
constexpr uint32_t kFullWidthCounter0 = 0x4c1;
constexpr uint32_t kAmdSelect0 = 0xc0010000;
constexpr uint32_t kAmdCounter0 = 0xc0010004;
constexpr uint32_t kAmdCoreSelect0 = 0xc0010200;  // counters follow their selects
constexpr int kAmdOldCounters = 4;
constexpr int kAmdCoreCounters = 6;

PmcModel I586Model() {
  PmcModel model;
  model.pmc_class = PmcClass::kI586;
  model.counters = 2;
  model.width_bits = 40;
  model.code_bits = 6;
  model.preload_bits = 40;
  return model;
}

PmcModel I686Model() {
  PmcModel model;
  model.pmc_class = PmcClass::kI686;
  model.counters = 2;
  model.width_bits = 40;
  // A write takes 32 bits and sign-extends them.
  model.preload_bits = 31;
  return model;
}

PmcModel ArchitecturalModel(const CpuIdentity& identity, uint64_t perf_capabilities) {
  PmcModel model;
  model.pmc_class = PmcClass::kArchitectural;
  model.counters = std::min<int>(static_cast<int>(identity.perfmon_counters), kMaxPmcCounters);
  model.width_bits = std::min<int>(static_cast<int>(identity.perfmon_width_bits), 64);
  model.perfmon_version = static_cast<int>(identity.perfmon_version);
  model.full_width_writes = (perf_capabilities & kFullWidthWritesBit) != 0;
  model.preload_bits = model.full_width_writes ? model.width_bits : 31;
  return model;
}

PmcModel AmdModel(const CpuIdentity& identity) {
  PmcModel model;
  model.pmc_class = PmcClass::kAmd;
  model.counters = identity.amd_perfctr_core ? kAmdCoreCounters : kAmdOldCounters;
  model.width_bits = 48;
  model.code_bits = 12;
  model.preload_bits = 48;
  return model;
}

}  // namespace

const char* PmcClassName(PmcClass pmc_class) {
  switch (pmc_class) {
    case PmcClass::kNone:
      return "none";
    case PmcClass::kI586:
      return "i586";
    case PmcClass::kI686:
      return "i686";
    case PmcClass::kArchitectural:
      return "architectural";
    case PmcClass::kAmd:
      return "amd";
  }
  return "none";
}

uint32_t PmcModel::SelectRegister(int index) const {
  if (pmc_class == PmcClass::kI586) return kCesr;
  const uint32_t offset = static_cast<uint32_t>(index);
  if (pmc_class != PmcClass::kAmd) return kIntelSelect0 + offset;
  return counters == kAmdCoreCounters ? kAmdCoreSelect0 + 2 * offset : kAmdSelect0 + offset;
}

uint32_t PmcModel::CounterRegister(int index) const {
  const uint32_t offset = static_cast<uint32_t>(index);
  if (pmc_class == PmcClass::kI586) return kI586Counter0 + offset;
  if (pmc_class != PmcClass::kAmd) return kIntelCounter0 + offset;
  return counters == kAmdCoreCounters ? kAmdCoreSelect0 + 2 * offset + 1 : kAmdCounter0 + offset;
}

uint32_t PmcModel::CounterWriteRegister(int index) const {
  if (!full_width_writes) return CounterRegister(index);
  return kFullWidthCounter0 + static_cast<uint32_t>(index);
}

PmcModel DetectPmcModel(const CpuIdentity& identity, uint64_t perf_capabilities) {
  PmcModel model;
  const bool is_intel = identity.vendor == "GenuineIntel";
  const bool is_amd = identity.vendor == "AuthenticAMD" || identity.vendor == "HygonGenuine";
  if (!identity.has_msr) {
    // No registers, no counters.
  } else if (is_intel && identity.perfmon_version > 0 && identity.perfmon_counters > 0) {
    model = ArchitecturalModel(identity, perf_capabilities);
  } else if (is_intel && identity.family == 6 && !identity.hypervisor) {
    // Under a hypervisor, family 6 without leaf 0xA means that the counters
    // are not passed through, not that the CPU is a Pentium Pro.
    model = I686Model();
  } else if (is_intel && identity.family == 5) {
    model = I586Model();
  } else if (is_amd && identity.family >= 6) {
    model = AmdModel(identity);
  }
  model.has_tsc = identity.has_tsc;
  return model;
}

RegisterAllowList PmcAllowList(PmcClass pmc_class) {
  switch (pmc_class) {
    case PmcClass::kI586:
      return I586AllowList();
    case PmcClass::kI686:
      return I686AllowList();
    case PmcClass::kArchitectural:
      return ArchPerfmonAllowList();
    case PmcClass::kAmd:
      return AmdAllowList();
    case PmcClass::kNone:
      break;
  }
  return RegisterAllowList("no counters", {});
}

}  // namespace pmu::server
