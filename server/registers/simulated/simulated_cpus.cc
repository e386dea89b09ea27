#include "server/registers/simulated/simulated_cpus.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/machine/root_files.h"
#include "server/registers/simulated/free_running_blocks.h"
#include "server/registers/simulated/merge_specs.h"
#include "server/registers/simulated/old_intel_blocks.h"
#include "server/registers/simulated/perfmon_blocks.h"
#include "server/registers/simulated/simulated_cpuid.h"

namespace pmu::server {
namespace {

constexpr uint32_t kDebugCtl = 0x1d9;
constexpr uint64_t kFreezeWhileSmm = 1 << 14;

CoreModel ModelOf(const SimulationSpec& merged, int cpu) {
  CoreModel model;
  // Every CPU has its own pattern.
  model.pattern.seed = merged.seed.value_or(1) + (static_cast<uint64_t>(cpu) << 32);
  model.pattern.jitter_percent = static_cast<int>(merged.jitter_percent.value_or(0));
  model.cycles_hz = merged.cycles_hz.value_or(model.cycles_hz);
  model.nominal_hz = merged.nominal_hz.value_or(model.nominal_hz);
  model.tsc_hz = merged.tsc_hz.value_or(model.nominal_hz);
  model.user_percent = merged.user_percent.value_or(model.user_percent);
  model.busy_percent = merged.busy_percent.value_or(model.busy_percent);
  const auto own = merged.busy_percent_of.find(cpu);
  if (own != merged.busy_percent_of.end()) model.busy_percent = own->second;
  model.rate_hz = merged.rate_hz;
  model.event_hz = merged.event_hz;
  model.smi.period_ns = static_cast<int64_t>(merged.period_ns.value_or(0));
  model.smi.duration_ns =
      std::min(static_cast<int64_t>(merged.duration_ns.value_or(0)), model.smi.period_ns);
  return model;
}

bool ReadFreezeFile(const std::string& path) {
  return absl::StartsWith(ReadSmallFile(path).value_or(""), "1");
}

}  // namespace

struct SimulatedCpus::Core {
  CoreModel model;
  std::vector<std::unique_ptr<MsrBlock>> blocks;
  bool online = true;
  uint64_t debug_ctl = 0;
  CoreTime last;
};

SimulatedCpus::~SimulatedCpus() = default;

absl::StatusOr<std::unique_ptr<SimulatedCpus>> SimulatedCpus::Create(
    const std::vector<SimulationSpec>& specs, const Clock* clock) {
  absl::StatusOr<SimulationSpec> merged = MergeCpuSpecs(specs);
  if (!merged.ok()) return merged.status();
  auto cpus = absl::WrapUnique(new SimulatedCpus(specs, clock));
  cpus->merged_ = *std::move(merged);
  if (cpus->has_smi_) {
    // Ten a second, 50 us each: what a busy firmware does.
    SimulationSpec& shared = cpus->merged_;
    shared.period_ns = shared.period_ns.value_or(100'000'000);
    shared.duration_ns = shared.duration_ns.value_or(50'000);
  }
  const int count = static_cast<int>(cpus->merged_.cpus.value_or(4));
  for (int cpu = 0; cpu < count; ++cpu) cpus->BuildCore(cpu, specs);
  if (!cpus->merged_.freeze_file.empty()) {
    const std::string path = cpus->merged_.freeze_file;
    cpus->SetFreezeOnSmiSwitch([path] { return ReadFreezeFile(path); });
  }
  return cpus;
}

SimulatedCpus::SimulatedCpus(const std::vector<SimulationSpec>& specs, const Clock* clock)
    : clock_(clock), power_on_ns_(clock->MonotonicNs()), pmc_(nullptr), specs_(specs) {
  std::vector<std::string> names;
  for (const SimulationSpec& spec : specs_) {
    names.push_back(spec.name);
    if (HasProgrammableCounters(spec.model)) pmc_ = &spec;
    if (spec.model == SimulationModel::kAperfMperf) has_aperf_mperf_ = true;
    if (spec.model == SimulationModel::kSmi) has_smi_ = true;
  }
  description_ = absl::StrCat("simulated ", absl::StrJoin(names, " + "));
}

void SimulatedCpus::BuildCore(int cpu, const std::vector<SimulationSpec>& specs) {
  auto core = std::make_unique<Core>();
  core->model = ModelOf(merged_, cpu);
  core->online = std::count(merged_.offline.begin(), merged_.offline.end(), cpu) == 0;
  core->blocks.push_back(std::make_unique<TscBlock>(&core->model));
  for (const SimulationSpec& spec : specs) AddBlocks(spec, core.get());
  for (const auto& [reg, contents] : merged_.preset) {
    for (const std::unique_ptr<MsrBlock>& block : core->blocks) {
      if (block->Write(reg, contents, {})) break;
    }
    if (reg == kDebugCtl) core->debug_ctl = contents;
  }
  cores_.push_back(std::move(core));
}

void SimulatedCpus::AddBlocks(const SimulationSpec& spec, Core* core) {
  CoreModel* model = &core->model;
  const uint64_t start = spec.start.value_or(0);
  switch (spec.model) {
    case SimulationModel::kI586:
      model->start = start;
      core->blocks.push_back(std::make_unique<I586Block>(model));
      break;
    case SimulationModel::kI686:
      model->start = start;
      core->blocks.push_back(std::make_unique<I686Block>(model));
      break;
    case SimulationModel::kArchPerfmon:
      model->start = start;
      core->blocks.push_back(std::make_unique<ArchPerfmonBlock>(model, PerfmonShapeOf(spec)));
      break;
    case SimulationModel::kAmd:
      model->start = start;
      core->blocks.push_back(std::make_unique<AmdBlock>(model, AmdCounters(spec)));
      break;
    case SimulationModel::kAperfMperf: {
      const bool is_amd = pmc_ != nullptr && pmc_->model == SimulationModel::kAmd;
      core->blocks.push_back(std::make_unique<AperfMperfBlock>(model, start, is_amd));
      break;
    }
    case SimulationModel::kSmi:
      core->blocks.push_back(std::make_unique<SmiCountBlock>(model->smi, start));
      break;
    case SimulationModel::kCci400R0:
    case SimulationModel::kCci400R1:
      break;  // Not a CPU model.
  }
}

absl::StatusOr<SimulatedCpus::Core*> SimulatedCpus::CoreOf(int cpu) {
  if (cpu < 0 || cpu >= static_cast<int>(cores_.size())) {
    return absl::UnavailableError(absl::StrCat(description_, ": the machine has no CPU ", cpu));
  }
  if (!cores_[cpu]->online) {
    return absl::UnavailableError(absl::StrCat(description_, ": CPU ", cpu, " is offline"));
  }
  return cores_[cpu].get();
}

CoreTime SimulatedCpus::Now(Core* core) {
  if (freeze_switch_) {
    core->debug_ctl =
        (core->debug_ctl & ~kFreezeWhileSmm) | (freeze_switch_() ? kFreezeWhileSmm : 0);
  }
  const SmiSchedule& smi = core->model.smi;
  const int64_t elapsed_ns = clock_->MonotonicNs() - power_on_ns_;
  int64_t counted_ns = elapsed_ns - core->last.elapsed_ns;
  if (core->debug_ctl & kFreezeWhileSmm) {
    counted_ns -= smi.SmmNsAt(elapsed_ns) - smi.SmmNsAt(core->last.elapsed_ns);
  }
  core->last = {elapsed_ns, core->last.counting_ns + counted_ns};
  return core->last;
}

bool SimulatedCpus::Concerns(const std::vector<RegisterFault>& faults, int cpu,
                             uint32_t reg) const {
  for (const RegisterFault& fault : faults) {
    if (fault.address == reg && (fault.cpu < 0 || fault.cpu == cpu)) return true;
  }
  return false;
}

absl::Status SimulatedCpus::NoRegister(int cpu, uint32_t reg, bool is_write) const {
  return absl::NotFoundError(absl::StrFormat(
      "%s: %s of register 0x%x on CPU %d: the CPU has no such register%s", description_,
      is_write ? "write" : "read", reg, cpu, is_write ? " or refuses the value" : ""));
}

absl::StatusOr<uint64_t> SimulatedCpus::Read(int cpu, uint32_t reg) {
  absl::MutexLock lock(&mutex_);
  absl::StatusOr<Core*> core = CoreOf(cpu);
  if (!core.ok()) return core.status();
  if (Concerns(merged_.fault, cpu, reg)) return NoRegister(cpu, reg, false);
  const CoreTime now = Now(*core);
  if (Concerns(merged_.zero, cpu, reg)) return 0;
  uint64_t contents = 0;
  bool found = reg == kDebugCtl && has_smi_;
  if (found) contents = (*core)->debug_ctl;
  for (const std::unique_ptr<MsrBlock>& block : (*core)->blocks) {
    if (!found) found = block->Read(reg, now, &contents);
  }
  if (!found) return NoRegister(cpu, reg, false);
  if (!Concerns(merged_.stuck, cpu, reg)) return contents;
  return stuck_contents_.emplace(std::make_pair(cpu, reg), contents).first->second;
}

absl::Status SimulatedCpus::Write(int cpu, uint32_t reg, uint64_t value) {
  absl::MutexLock lock(&mutex_);
  absl::StatusOr<Core*> core = CoreOf(cpu);
  if (!core.ok()) return core.status();
  if (Concerns(merged_.fault, cpu, reg)) return NoRegister(cpu, reg, true);
  const CoreTime now = Now(*core);
  if (Concerns(merged_.zero, cpu, reg)) return absl::OkStatus();  // Dropped.
  if (reg == kDebugCtl && has_smi_) {
    (*core)->debug_ctl = value;
    return absl::OkStatus();
  }
  for (const std::unique_ptr<MsrBlock>& block : (*core)->blocks) {
    if (block->Write(reg, value, now)) return absl::OkStatus();
  }
  return NoRegister(cpu, reg, true);
}

CpuidRegisters SimulatedCpus::Query(uint32_t leaf, uint32_t subleaf) const {
  return SimulatedCpuidLeaf({pmc_, has_aperf_mperf_, merged_.nominal_hz.value_or(2'000'000'000)},
                            leaf, subleaf);
}

CpuList SimulatedCpus::OnlineCpus() const {
  CpuList online;
  for (size_t cpu = 0; cpu < cores_.size(); ++cpu) {
    if (cores_[cpu]->online) online.push_back(static_cast<int>(cpu));
  }
  return online;
}

void SimulatedCpus::SetFreezeOnSmiSwitch(std::function<bool()> freeze_switch) {
  absl::MutexLock lock(&mutex_);
  freeze_switch_ = std::move(freeze_switch);
}

const CoreModel& SimulatedCpus::model_of(int cpu) const { return cores_[cpu]->model; }

}  // namespace pmu::server
