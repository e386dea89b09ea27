#include "server/register_hardware.h"

#include <map>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "server/backends/cci400/cci400_region.h"
#include "server/log.h"
#include "server/machine/root_files.h"
#include "server/registers/register_access.h"

namespace pmu::server {
namespace {

// Registers do not outlive a boot. Where the kernel does not say which boot it
// is, all are taken for the same one.
std::string BootId(const std::string& root) {
  return ReadTrimmedFile(RootedPath(root, "/proc/sys/kernel/random/boot_id")).value_or("unknown");
}

// Tells the log of every access, if it listens.
RegisterAccessObserver LogAccesses(const std::string& device) {
  if (!LogEnabled(LogLevel::kDebug)) return nullptr;
  return [device](const RegisterAccess& access) {
    Log(LogLevel::kDebug, absl::StrCat(device, ": ", FormatRegisterAccess(access)));
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<RegisterHardware>> RegisterHardware::Create(
    const RegisterHardwareOptions& options) {
  auto hardware = absl::WrapUnique(new RegisterHardware);
  absl::StatusOr<std::unique_ptr<SimulatedMachine>> simulated =
      SimulatedMachine::Create(options.simulate, &SystemClock());
  if (!simulated.ok()) return simulated.status();
  hardware->simulated_ = *std::move(simulated);
  absl::StatusOr<std::unique_ptr<FileRestoreJournal>> journal =
      FileRestoreJournal::Open(options.state_dir, BootId(options.root));
  if (!journal.ok()) return journal.status();
  hardware->journal_ = *std::move(journal);
  absl::Status made = hardware->MakeCci400(options);
  if (!made.ok()) return made;
  hardware->ReplayJournal();
  return hardware;
}

absl::Status RegisterHardware::MakeCci400(const RegisterHardwareOptions& options) {
  Cci400Options cci400;
  for (const std::string& name : options.cci400_interfaces) {
    absl::Status added = AddCci400InterfaceName(name, &cci400.interface_names);
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--cci400-interface: ", added.message()));
    }
  }
  cci400.root = options.root;
  cci400.journal = journal_.get();
  cci400.take_over = options.cci400_take_over;
  cci400.observer = LogAccesses("cci400");
  if (simulated_->cci400() != nullptr) {
    cci400.simulated = true;
    cci400.region = simulated_->cci400();
  } else {
    absl::StatusOr<std::unique_ptr<MmioRegion>> region =
        OpenCci400Region(options.root, options.cci400);
    if (absl::IsInvalidArgument(region.status())) {
      return absl::InvalidArgumentError(absl::StrCat("--cci400: ", region.status().message()));
    }
    if (region.ok()) cci400_region_ = *std::move(region);
    cci400.region = cci400_region_.get();
    cci400.region_status = region.status();
  }
  cci400_ = std::make_unique<Cci400Backend>(std::move(cci400));
  return absl::OkStatus();
}

void RegisterHardware::ReplayJournal() {
  // Simulated registers are never replayed, so this writes to real ones only.
  const std::map<std::string, RestoreTarget*> targets = {{"cci400", cci400_.get()}};
  const ReplayResult result = journal_->Replay(targets);
  const LogLevel level = result.failed > 0 ? LogLevel::kError : LogLevel::kWarning;
  for (const std::string& message : result.messages) Log(level, message);
}

void RegisterHardware::MakeBackends(std::vector<std::unique_ptr<CounterBackend>>* backends) {
  backends->push_back(std::move(cci400_));
}

}  // namespace pmu::server
