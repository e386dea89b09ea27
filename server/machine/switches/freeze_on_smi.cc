#include "server/machine/switches/freeze_on_smi.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

constexpr const char* kPmus[] = {"cpu", "cpu_core", "cpu_atom"};

// Two ways to the same file; a tree under a root may have only the second.
std::string DevicePath(absl::string_view pmu) {
  return absl::StrCat("/sys/devices/", pmu, "/freeze_on_smi");
}
std::string EventSourcePath(absl::string_view pmu) {
  return absl::StrCat("/sys/bus/event_source/devices/", pmu, "/freeze_on_smi");
}

Setting SettingOf(absl::string_view path) {
  return {absl::StrCat(kSwitchDevicePrefix, path), -1, 0};
}

std::vector<std::string> AllPaths() {
  std::vector<std::string> paths;
  for (const char* pmu : kPmus) {
    paths.push_back(DevicePath(pmu));
    paths.push_back(EventSourcePath(pmu));
  }
  return paths;
}

}  // namespace

FreezeOnSmi::FreezeOnSmi(absl::string_view root, RestoreJournal* journal,
                         std::function<void(const std::string&)> on_problem)
    : files_(root, AllPaths()), keeper_(&files_, journal, std::move(on_problem)) {}

std::vector<std::string> FreezeOnSmi::ExistingPaths() const {
  std::vector<std::string> paths;
  for (const char* pmu : kPmus) {
    std::string path = DevicePath(pmu);
    if (!files_.Exists(path)) path = EventSourcePath(pmu);
    if (files_.Exists(path)) paths.push_back(std::move(path));
  }
  return paths;
}

bool FreezeOnSmi::IsOn() {
  const std::vector<std::string> paths = ExistingPaths();
  for (const std::string& path : paths) {
    if (files_.Read(SettingOf(path)).value_or(0) != 1) return false;
  }
  return !paths.empty();
}

absl::StatusOr<std::unique_ptr<FreezeOnSmi::Hold>> FreezeOnSmi::Acquire() {
  const std::vector<std::string> paths = ExistingPaths();
  if (paths.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "freeze_on_smi is not supported: the machine has no ", DevicePath("cpu"),
        ": its CPU or kernel cannot stop counters in system management mode, so the cost of SMIs "
        "cannot be measured here"));
  }
  std::vector<Setting> settings;
  for (const std::string& path : paths) settings.push_back(SettingOf(path));
  absl::StatusOr<std::unique_ptr<Hold>> hold = keeper_.Acquire(std::move(settings));
  if (!hold.ok()) return hold.status();
  for (const std::string& path : paths) {
    const absl::StatusOr<uint64_t> now = files_.Read(SettingOf(path));
    if (now.ok() && *now == 1) continue;
    // On an error `hold` puts back those already set.
    absl::Status written = files_.Write(path, 1);
    if (!written.ok()) return written;
  }
  return hold;
}

}  // namespace pmu::server
