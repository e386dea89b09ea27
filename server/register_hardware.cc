#include "server/register_hardware.h"

#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "server/backends/cci400/cci400_region.h"
#include "server/log.h"
#include "server/machine/root_files.h"
#include "server/registers/cpuid_source.h"
#include "server/registers/file_msr_device.h"
#include "server/registers/register_access.h"
#include "server/state_dir.h"

namespace pmu::server {
namespace {

// Registers do not outlive a boot. Where the kernel does not say which boot it
// is, all are taken for the same one.
std::string BootId(const std::string& root) {
  return ReadTrimmedFile(RootedPath(root, "/proc/sys/kernel/random/boot_id")).value_or("unknown");
}

constexpr char kFreezeOnSmiPath[] = "/sys/devices/cpu/freeze_on_smi";

// The switch of a simulated machine that has just been powered on: off.
absl::Status MakeSimulatedSwitch(const std::string& root) {
  const std::string path = absl::StrCat(root, kFreezeOnSmiPath);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) {
    return absl::InternalError(absl::StrCat("cannot make ", path, ": ", error.message()));
  }
  return WriteFileAtomically(path, "0\n");
}

void LogNotPutBack(const std::string& problem) {
  Log(LogLevel::kError, absl::StrCat("could not be put back, the journal keeps it: ", problem));
}

// Simulated CPUs are busy as their model says, whatever ours do.
absl::Status PassTime(int, int64_t duration_ns) {
  const int64_t end_ns = SystemClock().MonotonicNs() + duration_ns;
  while (SystemClock().MonotonicNs() < end_ns) {
  }
  return absl::OkStatus();
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
  hardware->MakeCpuBackends(options);
  made = hardware->MakeFreezeOnSmi(options);
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
    cci400.region_status = region.status();
    if (region.ok()) cci400_region_ = *std::move(region);
    cci400.region = cci400_region_.get();
  }
  cci400_ = std::make_unique<Cci400Backend>(std::move(cci400));
  return absl::OkStatus();
}

void RegisterHardware::MakeCpuBackends(const RegisterHardwareOptions& options) {
  SimulatedCpus* simulated = simulated_->cpus();
  if (simulated == nullptr) msr_ = std::make_unique<FileMsrDevice>(options.root);
  MsrDevice* device = simulated != nullptr ? simulated : msr_.get();
  const CpuidSource* cpuid = simulated != nullptr ? simulated : &MachineCpuid();
  std::function<absl::StatusOr<CpuList>()> online_cpus;
  if (simulated != nullptr) online_cpus = [simulated] { return simulated->OnlineCpus(); };

  X86PmcOptions x86_pmc;
  x86_pmc.root = options.root;
  x86_pmc.device = device;
  x86_pmc.cpuid = cpuid;
  x86_pmc.clock = &SystemClock();
  x86_pmc.journal = journal_.get();
  x86_pmc.simulated = simulated != nullptr;
  x86_pmc.take_counters = options.take_counters;
  x86_pmc.online_cpus = online_cpus;
  x86_pmc.observer = LogAccesses("x86_pmc");
  x86_pmc.on_problem = LogNotPutBack;
  x86_pmc_ = X86PmcBackend::Create(std::move(x86_pmc));

  AperfMperfOptions aperf_mperf;
  aperf_mperf.root = options.root;
  aperf_mperf.device = device;
  aperf_mperf.cpuid = cpuid;
  aperf_mperf.clock = &SystemClock();
  aperf_mperf.simulated = simulated != nullptr;
  aperf_mperf.online_cpus = online_cpus;
  aperf_mperf.observer = LogAccesses("aperf_mperf");
  if (simulated != nullptr) aperf_mperf.busy_loop = PassTime;
  aperf_mperf_ = AperfMperfBackend::Create(std::move(aperf_mperf));
}

// A simulated machine with SMIs on this very machine has a switch of its own:
// the real one must not be touched for it.
absl::Status RegisterHardware::MakeFreezeOnSmi(const RegisterHardwareOptions& options) {
  std::string root = options.root;
  if (simulated_->has_smi() && root.empty()) {
    root = absl::StrCat(options.state_dir, "/simulated");
    absl::Status made = MakeSimulatedSwitch(root);
    if (!made.ok()) return made;
  }
  freeze_on_smi_ = std::make_unique<FreezeOnSmi>(root, journal_.get(), LogNotPutBack);
  if (simulated_->has_smi()) {
    FreezeOnSmi* freeze = freeze_on_smi_.get();
    simulated_->cpus()->SetFreezeOnSmiSwitch([freeze] { return freeze->IsOn(); });
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<void>> RegisterHardware::HoldFreezeOnSmi() {
  absl::StatusOr<std::unique_ptr<FreezeOnSmi::Hold>> hold = freeze_on_smi_->Acquire();
  if (!hold.ok()) return hold.status();
  return std::shared_ptr<void>(*std::move(hold));
}

void RegisterHardware::ReplayJournal() {
  // Simulated registers are never replayed, so this writes to real ones only.
  const std::map<std::string, RestoreTarget*> targets = {
      {"cci400", cci400_.get()},
      {"msr", x86_pmc_.get()},
      {"file", freeze_on_smi_->restore_target()}};
  const ReplayResult result = journal_->Replay(targets);
  const LogLevel level = result.failed > 0 ? LogLevel::kError : LogLevel::kWarning;
  for (const std::string& message : result.messages) Log(level, message);
}

void RegisterHardware::MakeBackends(std::vector<std::unique_ptr<CounterBackend>>* backends) {
  backends->push_back(std::move(cci400_));
  std::vector<std::unique_ptr<CounterBackend>> of_cpus;
  of_cpus.push_back(std::move(aperf_mperf_));
  of_cpus.push_back(std::move(x86_pmc_));
  const auto place = simulated_->cpus() != nullptr ? backends->begin() : backends->end();
  backends->insert(place, std::make_move_iterator(of_cpus.begin()),
                   std::make_move_iterator(of_cpus.end()));
}

}  // namespace pmu::server
