#include "server/backends/perf_event/sysfs_pmu.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/machine/cpu_topology.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr char kDevices[] = "/sys/bus/event_source/devices";

// "uncore_imc_3" -> "uncore_imc"; names without a number stay as they are.
absl::string_view WithoutInstance(absl::string_view name) {
  const size_t underscore = name.rfind('_');
  if (underscore == absl::string_view::npos || underscore == 0) return name;
  const absl::string_view tail = name.substr(underscore + 1);
  const bool number = !tail.empty() && std::all_of(tail.begin(), tail.end(), [](unsigned char c) {
    return absl::ascii_isdigit(c);
  });
  return number ? name.substr(0, underscore) : name;
}

void ReadType(SysfsPmu& pmu) {
  const std::string path = pmu.directory + "/type";
  const absl::StatusOr<std::string> text = ReadTrimmedFile(path);
  if (!text.ok()) {
    pmu.status = absl::FailedPreconditionError(absl::StrCat(
        "PMU '", pmu.name, "' cannot be opened: it has no type (", text.status().message(), ")"));
  } else if (!absl::SimpleAtoi(*text, &pmu.type)) {
    pmu.status = absl::FailedPreconditionError(
        absl::StrCat("PMU '", pmu.name, "' cannot be opened: ", path, " holds '",
                     absl::CHexEscape(text->substr(0, 32)), "', which is not a number"));
  }
}

void ReadFormats(SysfsPmu& pmu) {
  const std::string directory = pmu.directory + "/format";
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(directory);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const absl::StatusOr<std::string> text = ReadTrimmedFile(absl::StrCat(directory, "/", name));
    pmu.formats.emplace(
        name, text.ok() ? FormatField::Parse(*text) : absl::StatusOr<FormatField>(text.status()));
  }
}

SysfsPmu ReadPmu(const std::string& directory, const std::string& name) {
  SysfsPmu pmu;
  pmu.name = name;
  pmu.directory = directory;
  ReadType(pmu);
  ReadFormats(pmu);
  pmu.aliases = ReadEventAliases(directory + "/events");
  pmu.has_cpumask = FileExists(directory + "/cpumask");
  pmu.has_cpus = FileExists(directory + "/cpus");
  return pmu;
}

CounterDomain DomainOf(const SysfsPmu& pmu, int package_count) {
  if (!pmu.has_cpumask) return CounterDomain::kCpu;
  if (pmu.name == "cstate_core") return CounterDomain::kCore;
  const absl::StatusOr<absl::optional<CpuList>> own = pmu.ReadCpus();
  if (!own.ok() || !own->has_value()) return CounterDomain::kSystem;
  const int instances = static_cast<int>((*own)->size());
  if (package_count == 0) {
    return instances > 1 ? CounterDomain::kPackage : CounterDomain::kSystem;
  }
  if (instances == package_count) return CounterDomain::kPackage;
  return instances < package_count ? CounterDomain::kSystem : CounterDomain::kDie;
}

template <typename Map>
std::vector<std::string> KeysOf(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

}  // namespace

std::string SysfsPmu::family() const {
  return is_core() ? name : std::string(WithoutInstance(name));
}

absl::StatusOr<absl::optional<CpuList>> SysfsPmu::ReadCpus() const {
  if (!has_cpumask && !has_cpus) return absl::optional<CpuList>();
  const std::string path = directory + (has_cpumask ? "/cpumask" : "/cpus");
  const absl::StatusOr<std::string> text = ReadTrimmedFile(path);
  const absl::StatusOr<CpuList> cpus =
      text.ok() ? ParseCpuList(*text) : absl::StatusOr<CpuList>(text.status());
  if (!cpus.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "PMU '", name, "': cannot tell its CPUs: ", path, ": ", cpus.status().message()));
  }
  return absl::optional<CpuList>(*cpus);
}

std::vector<std::string> SysfsPmu::TermNames() const {
  std::vector<std::string> names = KeysOf(formats);
  for (const char* word : {"config", "config1", "config2"}) names.emplace_back(word);
  return names;
}

std::vector<std::string> SysfsPmu::AliasNames() const { return KeysOf(aliases); }

PmuRegistry PmuRegistry::Scan(absl::string_view root) {
  PmuRegistry registry;
  const std::string devices = RootedPath(root, kDevices);
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(devices);
  if (!names.ok()) return registry;
  const CpuList online = ReadOnlineCpus(root).value_or(CpuList());
  const int package_count = CountPackages(ReadPackageIds(root, online));
  registry.pmus_.reserve(names->size());
  for (const std::string& name : *names) {
    registry.pmus_.push_back(ReadPmu(absl::StrCat(devices, "/", name), name));
    registry.pmus_.back().domain = DomainOf(registry.pmus_.back(), package_count);
  }
  return registry;
}

const SysfsPmu* PmuRegistry::Find(absl::string_view name) const {
  for (const SysfsPmu& pmu : pmus_) {
    if (pmu.name == name) return &pmu;
  }
  return nullptr;
}

std::vector<const SysfsPmu*> PmuRegistry::Match(absl::string_view name) const {
  if (const SysfsPmu* exact = Find(name)) return {exact};
  std::vector<const SysfsPmu*> found;
  for (const SysfsPmu& pmu : pmus_) {
    const absl::string_view short_name = absl::StripPrefix(pmu.name, "uncore_");
    if (short_name == name || WithoutInstance(pmu.name) == name ||
        WithoutInstance(short_name) == name) {
      found.push_back(&pmu);
    }
  }
  return found;
}

std::vector<const SysfsPmu*> PmuRegistry::CorePmus() const {
  std::vector<const SysfsPmu*> cores;
  for (const SysfsPmu& pmu : pmus_) {
    if (pmu.is_core() && pmu.status.ok()) cores.push_back(&pmu);
  }
  return cores;
}

std::vector<std::string> PmuRegistry::Names() const {
  std::vector<std::string> names;
  for (const SysfsPmu& pmu : pmus_) names.push_back(pmu.name);
  return names;
}

}  // namespace pmu::server
