#include "server/registers/simulated/simulated_cpuid.h"

#include <cstring>

namespace pmu::server {
namespace {

constexpr uint32_t kTsc = 1 << 4;           // Leaf 1 EDX.
constexpr uint32_t kMsr = 1 << 5;           // Leaf 1 EDX.
constexpr uint32_t kPerfctrCore = 1 << 23;  // Leaf 0x80000001 ECX.

bool Is(const SimulatedIdentity& identity, SimulationModel model) {
  return identity.pmc != nullptr && identity.pmc->model == model;
}

CpuidRegisters VendorLeaf(const char* vendor, uint32_t last_leaf) {
  CpuidRegisters out;
  out.eax = last_leaf;
  std::memcpy(&out.ebx, vendor, 4);
  std::memcpy(&out.edx, vendor + 4, 4);
  std::memcpy(&out.ecx, vendor + 8, 4);
  return out;
}

uint32_t LastLeaf(const SimulatedIdentity& identity) {
  if (Is(identity, SimulationModel::kI586)) return identity.has_aperf_mperf ? 6 : 1;
  if (Is(identity, SimulationModel::kI686)) return identity.has_aperf_mperf ? 6 : 2;
  return Is(identity, SimulationModel::kAmd) ? 0xd : 0x16;
}

// Family, model and stepping as leaf 1 EAX shows them.
uint32_t Version(const SimulatedIdentity& identity) {
  if (Is(identity, SimulationModel::kI586)) return 0x00000525;
  if (Is(identity, SimulationModel::kI686)) return 0x00000686;
  if (Is(identity, SimulationModel::kArchPerfmon)) return 0x000506e3;
  if (Is(identity, SimulationModel::kAmd)) {
    return AmdCounters(*identity.pmc) == 6 ? 0x00830f10 : 0x00100f42;
  }
  return 0x000006e8;
}

CpuidRegisters PerfmonLeaf(const SimulatedIdentity& identity) {
  CpuidRegisters out;
  if (!Is(identity, SimulationModel::kArchPerfmon)) return out;
  const PerfmonShape shape = PerfmonShapeOf(*identity.pmc);
  out.eax =
      static_cast<uint32_t>(shape.version | shape.counters << 8 | shape.width_bits << 16 | 7 << 24);
  if (shape.version >= 2) out.edx = static_cast<uint32_t>(3 | shape.width_bits << 5);
  return out;
}

CpuidRegisters ExtendedLeaf(const SimulatedIdentity& identity, uint32_t leaf) {
  CpuidRegisters out;
  if (Is(identity, SimulationModel::kI586) || Is(identity, SimulationModel::kI686)) return out;
  if (leaf == 0x80000000) out.eax = 0x80000008;
  if (leaf == 0x80000001 && Is(identity, SimulationModel::kAmd) &&
      AmdCounters(*identity.pmc) == 6) {
    out.ecx = kPerfctrCore;
  }
  return out;
}

}  // namespace

PerfmonShape PerfmonShapeOf(const SimulationSpec& spec) {
  PerfmonShape shape;
  shape.version = static_cast<int>(spec.version.value_or(4));
  shape.counters = static_cast<int>(spec.counters.value_or(4));
  shape.width_bits = static_cast<int>(spec.width_bits.value_or(48));
  return shape;
}

int AmdCounters(const SimulationSpec& spec) { return spec.counters.value_or(6) >= 6 ? 6 : 4; }

CpuidRegisters SimulatedCpuidLeaf(const SimulatedIdentity& identity, uint32_t leaf, uint32_t) {
  CpuidRegisters out;
  if (leaf >= 0x80000000) return ExtendedLeaf(identity, leaf);
  if (leaf > LastLeaf(identity)) return out;
  switch (leaf) {
    case 0:
      return VendorLeaf(Is(identity, SimulationModel::kAmd) ? "AuthenticAMD" : "GenuineIntel",
                        LastLeaf(identity));
    case 1:
      out.eax = Version(identity);
      out.edx = kTsc | kMsr;
      break;
    case 6:
      out.ecx = identity.has_aperf_mperf ? 1 : 0;
      break;
    case 0xa:
      return PerfmonLeaf(identity);
    case 0x16:
      out.eax = static_cast<uint32_t>(identity.nominal_hz / 1'000'000) & 0xffff;
      break;
    default:
      break;
  }
  return out;
}

}  // namespace pmu::server
