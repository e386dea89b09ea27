#include "server/machine/cpu_topology.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr char kCpuDirectory[] = "/sys/devices/system/cpu/";

absl::StatusOr<CpuList> ReadCpuListFile(absl::string_view root, absl::string_view name) {
  const std::string path = RootedPath(root, absl::StrCat(kCpuDirectory, name));
  absl::StatusOr<std::string> text = ReadTrimmedFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<CpuList> cpus = ParseCpuList(*text);
  if (!cpus.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", cpus.status().message()));
  }
  if (cpus->empty()) return absl::FailedPreconditionError(absl::StrCat(path, " names no CPU"));
  return cpus;
}

}  // namespace

absl::StatusOr<CpuList> ReadOnlineCpus(absl::string_view root) {
  return ReadCpuListFile(root, "online");
}

absl::StatusOr<CpuList> ReadPossibleCpus(absl::string_view root) {
  return ReadCpuListFile(root, "possible");
}

std::map<int, int> ReadPackageIds(absl::string_view root, const CpuList& cpus) {
  std::map<int, int> package_ids;
  for (const int cpu : cpus) {
    const std::string path =
        RootedPath(root, absl::StrCat(kCpuDirectory, "cpu", cpu, "/topology/physical_package_id"));
    const absl::StatusOr<std::string> text = ReadTrimmedFile(path);
    int package_id = 0;
    // -1: the platform does not say (seen on Arm without ACPI PPTT).
    if (text.ok() && absl::SimpleAtoi(*text, &package_id) && package_id >= 0) {
      package_ids[cpu] = package_id;
    }
  }
  return package_ids;
}

int CountPackages(const std::map<int, int>& package_ids) {
  std::set<int> distinct;
  for (const auto& entry : package_ids) distinct.insert(entry.second);
  return static_cast<int>(distinct.size());
}

}  // namespace pmu::server
