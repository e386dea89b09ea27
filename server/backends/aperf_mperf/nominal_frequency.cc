#include "server/backends/aperf_mperf/nominal_frequency.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/text.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr uint32_t kAmdP0Definition = 0xc0010064;
constexpr uint32_t kPlatformInfo = 0xce;

absl::optional<NominalFrequency> FromAmd(const NominalFrequencySources& sources) {
  const absl::StatusOr<uint64_t> definition = sources.device->Read(sources.cpu, kAmdP0Definition);
  if (!definition.ok()) return absl::nullopt;
  const double hz = AmdPstateHz(sources.identity.family, *definition);
  if (hz <= 0) return absl::nullopt;
  return NominalFrequency{hz, "P0 definition, MSR 0xC0010064"};
}

absl::optional<NominalFrequency> FromIntel(const NominalFrequencySources& sources) {
  if (sources.identity.base_mhz != 0) {
    return NominalFrequency{sources.identity.base_mhz * 1e6, "CPUID leaf 0x16"};
  }
  const absl::StatusOr<uint64_t> info = sources.device->Read(sources.cpu, kPlatformInfo);
  if (!info.ok() || ((*info >> 8) & 0xff) == 0) return absl::nullopt;
  return NominalFrequency{static_cast<double>((*info >> 8) & 0xff) * 1e8, "MSR 0xCE"};
}

absl::optional<NominalFrequency> FromCpufreq(const NominalFrequencySources& sources) {
  if (!sources.root) return absl::nullopt;
  const absl::StatusOr<std::string> text = ReadTrimmedFile(RootedPath(
      *sources.root,
      absl::StrCat("/sys/devices/system/cpu/cpu", sources.cpu, "/cpufreq/base_frequency")));
  if (!text.ok()) return absl::nullopt;
  const absl::optional<uint64_t> khz = ParseDigits(*text);
  if (!khz || *khz == 0) return absl::nullopt;
  return NominalFrequency{static_cast<double>(*khz) * 1e3, "cpufreq base_frequency"};
}

absl::optional<NominalFrequency> FromTsc(const NominalFrequencySources& sources) {
  if (!sources.measure_tsc_hz) return absl::nullopt;
  const absl::optional<double> hz = sources.measure_tsc_hz();
  if (!hz) return absl::nullopt;
  return NominalFrequency{*hz, "time stamp counter, measured"};
}

}  // namespace

double AmdPstateHz(uint32_t family, uint64_t definition) {
  const bool enabled = (definition >> 63) != 0;
  if (!enabled) return 0;
  if (family >= 0x1a) return static_cast<double>(definition & 0xfff) * 5e6;
  if (family >= 0x17) {
    const uint64_t divider = (definition >> 8) & 0x3f;
    if (divider == 0) return 0;
    return 2e8 * static_cast<double>(definition & 0xff) / static_cast<double>(divider);
  }
  if (family >= 0x10 && family != 0x12 && family != 0x14) {
    const uint64_t divider_power = (definition >> 6) & 0x7;
    return 1e8 * static_cast<double>((definition & 0x3f) + 0x10) /
           static_cast<double>(1u << divider_power);
  }
  return 0;
}

absl::optional<NominalFrequency> FindNominalFrequency(const NominalFrequencySources& sources) {
  absl::optional<NominalFrequency> found;
  if (sources.identity.vendor == "AuthenticAMD") found = FromAmd(sources);
  if (sources.identity.vendor == "GenuineIntel") found = FromIntel(sources);
  if (!found) found = FromCpufreq(sources);
  if (!found) found = FromTsc(sources);
  return found;
}

}  // namespace pmu::server
