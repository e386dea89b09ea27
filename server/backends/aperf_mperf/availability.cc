#include "server/backends/aperf_mperf/availability.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/backends/aperf_mperf/free_running_event.h"

namespace pmu::server {
namespace {

constexpr uint32_t kTscRegister = 0x10;
constexpr int64_t kTscMeasureNs = 20'000'000;

struct NamedRegister {
  const char* name;
  uint32_t address;
};
constexpr NamedRegister kPair[] = {{"MPERF", kMperfRegister}, {"APERF", kAperfRegister}};

absl::Status Unreadable(const NamedRegister& reg, const absl::Status& error) {
  return absl::FailedPreconditionError(
      absl::StrCat("CPUID leaf 6 ECX bit 0 advertises MPERF and APERF, but ", reg.name,
                   " cannot be read: ", error.message()));
}

}  // namespace

absl::Status CheckAperfMperf(const CpuIdentity& identity, MsrDevice& device,
                             const BusyLoop& busy_loop, int cpu) {
  if (identity.vendor.empty()) {
    return absl::FailedPreconditionError("not an x86 CPU: it has no MPERF and APERF");
  }
  if (!identity.has_aperf_mperf) {
    return absl::FailedPreconditionError(
        absl::StrCat("CPUID leaf 6 ECX bit 0 is not set: the CPU does not offer MPERF and APERF",
                     identity.hypervisor ? " (a hypervisor runs this machine)" : ""));
  }
  uint64_t before[2] = {};
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<uint64_t> read = device.Read(cpu, kPair[i].address);
    if (!read.ok()) return Unreadable(kPair[i], read.status());
    before[i] = *read;
  }
  absl::Status busy = busy_loop(cpu, kBusyNs);
  if (!busy.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("MPERF and APERF could not be tried out: ", busy.message()));
  }
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<uint64_t> read = device.Read(cpu, kPair[i].address);
    if (!read.ok()) return Unreadable(kPair[i], read.status());
    if (*read - before[i] != 0 && *read - before[i] < (uint64_t{1} << 63)) continue;
    return absl::FailedPreconditionError(absl::StrFormat(
        "CPUID leaf 6 ECX bit 0 advertises MPERF and APERF, but %s (MSR 0x%x) did not increase "
        "while CPU %d was busy: it read 0x%x, then 0x%x%s",
        kPair[i].name, kPair[i].address, cpu, before[i], *read,
        identity.hypervisor ? " (a hypervisor runs this machine)" : ""));
  }
  return absl::OkStatus();
}

absl::Status CheckSmiCount(const CpuIdentity& identity, MsrDevice& device, int cpu) {
  if (identity.vendor != "GenuineIntel") {
    return absl::FailedPreconditionError("only Intel CPUs count system management interrupts");
  }
  const absl::StatusOr<uint64_t> read = device.Read(cpu, kSmiCountRegister);
  if (read.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("SMI_COUNT cannot be read: ", read.status().message()));
}

absl::optional<double> MeasureTscHz(MsrDevice& device, const Clock& clock,
                                    const BusyLoop& busy_loop, int cpu) {
  const absl::StatusOr<uint64_t> before = device.Read(cpu, kTscRegister);
  const int64_t before_ns = clock.MonotonicNs();
  if (!before.ok() || !busy_loop(cpu, kTscMeasureNs).ok()) return absl::nullopt;
  const absl::StatusOr<uint64_t> after = device.Read(cpu, kTscRegister);
  const int64_t after_ns = clock.MonotonicNs();
  if (!after.ok() || *after <= *before || after_ns <= before_ns) return absl::nullopt;
  return static_cast<double>(*after - *before) * 1e9 / static_cast<double>(after_ns - before_ns);
}

}  // namespace pmu::server
