#include "server/backends/x86_pmc/x86_pmc_backend.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/backends/x86_pmc/pfm_names.h"
#include "server/backends/x86_pmc/pmc_allocation.h"
#include "server/machine/cpu_topology.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

// In the journal: simulated registers end with their agent.
constexpr char kSimulatedMsrDevice[] = "simulated-msr";

// At the fastest a counter can count, it is polled four times a turn.
int64_t PollIntervalNs(int width_bits) {
  constexpr int64_t kMinNs = 10'000'000;
  constexpr int64_t kMaxNs = 60'000'000'000;
  if (width_bits >= 50) return kMaxNs;
  const int64_t turn_ns = (int64_t{1} << width_bits) / 100;  // 100 events a nanosecond
  return std::clamp(turn_ns / 4, kMinNs, kMaxNs);
}

uint64_t ReadCapabilities(MsrDevice& device, const CpuIdentity& identity, int cpu) {
  if (identity.perfmon_version == 0) return 0;
  return device.Read(cpu, kPerfCapabilitiesRegister).value_or(0);
}

std::string CounterNumbers(uint32_t counters) {
  std::vector<int> numbers;
  for (int i = 0; i < kMaxPmcCounters; ++i) {
    if ((counters >> i) & 1) numbers.push_back(i);
  }
  return absl::StrJoin(numbers, ",");
}

// The parts of a resolved event that Open needs back.
PmcRequest RequestOf(const PmcModel& model, const ResolvedEvent& event) {
  const uint32_t code = static_cast<uint32_t>((event.encoding.config & 0xff));
  const int counter = static_cast<int>(event.encoding.config2) - 1;
  return {CountersFor(model, code, counter), event.group};
}

}  // namespace

std::unique_ptr<X86PmcBackend> X86PmcBackend::Create(X86PmcOptions options) {
  const CpuIdentity identity = IdentifyCpu(*options.cpuid);
  const absl::StatusOr<CpuList> online =
      options.online_cpus ? options.online_cpus() : ReadOnlineCpus(options.root);
  const int cpu = online.ok() && !online->empty() ? online->front() : 0;
  const uint64_t capabilities = ReadCapabilities(*options.device, identity, cpu);
  return std::unique_ptr<X86PmcBackend>(
      new X86PmcBackend(std::move(options), identity, DetectPmcModel(identity, capabilities)));
}

X86PmcBackend::X86PmcBackend(X86PmcOptions options, CpuIdentity identity, const PmcModel& model)
    : options_(std::move(options)),
      identity_(std::move(identity)),
      model_(model),
      device_(options_.device, PmcAllowList(model_.pmc_class), options_.observer),
      driver_(PmcDriver::Create(model_, &device_)),
      names_(&NoPmcNames()),
      settings_(&device_),
      keeper_(&settings_, options_.journal, options_.on_problem) {
  if (model_.pmc_class == PmcClass::kI586) {
    names_ = &I586Names();
    return;
  }
  const bool is_this_machine = !options_.simulated && options_.root.empty();
  const std::string table = PfmTableFor(identity_, model_.pmc_class, is_this_machine);
  if (!table.empty()) {
    own_names_ = PfmNames(table);
    names_ = own_names_.get();
  } else if (model_.pmc_class == PmcClass::kI686) {
    names_ = &I686Names();
  }
}

absl::StatusOr<CpuList> X86PmcBackend::OnlineCpus() const {
  return options_.online_cpus ? options_.online_cpus() : ReadOnlineCpus(options_.root);
}

absl::Status X86PmcBackend::KernelHolds() const {
  if (options_.simulated || options_.take_counters) return absl::OkStatus();
  for (const char* pmu : {"cpu", "cpu_core", "cpu_atom"}) {
    const std::string path =
        RootedPath(options_.root, absl::StrCat("/sys/bus/event_source/devices/", pmu));
    if (!FileExists(path)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the kernel's PMU driver holds the counters (", path, "): use ", pmu,
                     "/event=.../, or start pmud with --take-counters"));
  }
  const std::string watchdog = RootedPath(options_.root, "/proc/sys/kernel/nmi_watchdog");
  if (ReadTrimmedFile(watchdog).value_or("0") == "0") return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the NMI watchdog holds a counter: write 0 to ",
                                                    watchdog,
                                                    ", or start pmud with --take-counters"));
}

absl::Status X86PmcBackend::Availability() const {
  if (driver_ == nullptr) {
    return absl::FailedPreconditionError(
        identity_.vendor.empty()
            ? std::string("not an x86 CPU")
            : absl::StrFormat("class none: no known counters on %s family %d model %d%s",
                              identity_.vendor, identity_.family, identity_.model,
                              identity_.hypervisor ? " under a hypervisor" : ""));
  }
  absl::Status held = KernelHolds();
  if (!held.ok()) return held;
  const absl::StatusOr<CpuList> online = OnlineCpus();
  if (!online.ok()) return online.status();
  MsrDevice& device = *options_.device;  // not an access of a session: not logged
  const absl::StatusOr<uint64_t> select = device.Read(online->front(), model_.SelectRegister(0));
  if (select.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(select.status().message());
}

BackendInfo X86PmcBackend::Describe() const {
  BackendInfo info;
  info.name = kX86Pmc;
  info.availability = Availability();
  info.simulated = options_.simulated;
  PmuInfo pmu;
  pmu.name = kX86Pmc;
  pmu.health = info.availability.ok() ? PmuHealth::kUntested : PmuHealth::kUnavailable;
  pmu.note = std::string(info.availability.message());
  info.pmus.push_back(std::move(pmu));
  info.facts.push_back({"class", PmcClassName(model_.pmc_class), absl::nullopt, ""});
  info.facts.push_back({"counters",
                        absl::StrCat(model_.counters, " of ", model_.width_bits, " bits"),
                        static_cast<double>(model_.counters), ""});
  info.facts.push_back({"has-tsc", model_.has_tsc ? "yes" : "no", model_.has_tsc ? 1.0 : 0.0, ""});
  return info;
}

CounterInfo X86PmcBackend::InfoOf(const NamedPmcEvent& named) const {
  CounterInfo info;
  info.name = absl::StrCat(kX86Pmc, "/", named.name, "/");
  info.pmu = kX86Pmc;
  info.description = named.description;
  info.width_bits = model_.width_bits;
  info.modifiers = "uk";
  info.capabilities = {CounterCapability::kRead, CounterCapability::kSystem,
                       CounterCapability::kUser, CounterCapability::kWrite};
  if (model_.pmc_class != PmcClass::kI586) {
    info.capabilities.insert(info.capabilities.begin(),
                             {CounterCapability::kEdge, CounterCapability::kInvert});
    info.capabilities.push_back(CounterCapability::kThreshold);
  }
  info.simulated = options_.simulated;
  return info;
}

std::vector<CounterInfo> X86PmcBackend::ListCounters() const {
  std::vector<CounterInfo> counters;
  if (driver_ == nullptr) return counters;
  const absl::Status availability = Availability();
  NamedPmcEvent by_number;
  by_number.name = "event=...";
  by_number.description = "any event by its number; see docs/x86_pmc.md";
  counters.push_back(InfoOf(by_number));
  counters.back().required_terms = {"event"};
  for (const NamedPmcEvent& named : names_->List()) counters.push_back(InfoOf(named));
  for (CounterInfo& info : counters) info.availability = availability;
  return counters;
}

ResolvedEvent X86PmcBackend::Resolved(const EventSpec& event, const PmcSelection& selected,
                                      CpuList cpus) const {
  ResolvedEvent resolved;
  resolved.text = event.text;
  resolved.pmu = kX86Pmc;
  resolved.pmu_family = kX86Pmc;
  resolved.encoding.config = SelectBits(model_, selected);
  resolved.encoding.config1 = selected.preload;
  resolved.encoding.config2 = static_cast<uint64_t>(selected.counter + 1);  // 0: any
  resolved.encoding.exclude_user = !selected.user;
  resolved.encoding.exclude_kernel = !selected.kernel;
  resolved.cpus = std::move(cpus);
  resolved.group = event.group;
  resolved.never_multiplexed = true;
  resolved.simulated = options_.simulated;
  return resolved;
}

absl::StatusOr<std::vector<ResolvedEvent>> X86PmcBackend::Resolve(
    const EventSpec& event, const CounterTarget& target) const {
  const bool is_named_pmu = event.form == EventForm::kPmu && event.pmu == kX86Pmc;
  const absl::Status available = Availability();
  // Generic names belong to whoever can count them.
  const bool is_task = target.pid != 0 || !target.cgroup.empty();
  if (!is_named_pmu && (!available.ok() || is_task)) return absl::NotFoundError("");
  if (driver_ == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(event.text, ": ", available.message()));
  }
  absl::StatusOr<PmcSelection> selected = SelectPmcEvent(event, model_, *names_);
  if (!selected.ok()) return selected.status();
  if (!available.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(event.text, ": ", available.message()));
  }
  if (is_task) {
    return absl::FailedPreconditionError(absl::StrCat(
        event.text, ": ", kX86Pmc, " counts CPUs, not a ", target.pid != 0 ? "process" : "cgroup",
        ": measure system-wide, or choose CPUs with -C"));
  }
  CpuList cpus = target.cpus;
  if (cpus.empty()) {
    absl::StatusOr<CpuList> online = OnlineCpus();
    if (!online.ok()) return online.status();
    cpus = *std::move(online);
  }
  return std::vector<ResolvedEvent>{Resolved(event, *selected, std::move(cpus))};
}

absl::Status X86PmcBackend::NoCounterLeft(int cpu, const PmcUse& foreign) const {
  std::string message =
      absl::StrCat("CPU ", cpu, ": no counter is left for it of ", model_.counters, " (class ",
                   PmcClassName(model_.pmc_class), ")");
  const auto reserved = reserved_.find(cpu);
  if (reserved != reserved_.end() && reserved->second != 0) {
    absl::StrAppend(&message, "; counters ", CounterNumbers(reserved->second),
                    " belong to other sessions of this agent");
  }
  if (foreign.counters != 0) {
    absl::StrAppend(&message, "; counters ", CounterNumbers(foreign.counters),
                    " are in use by another program: ", foreign.evidence);
  }
  return absl::ResourceExhaustedError(message);
}

PmcCpuPlan X86PmcBackend::PlanCpu(int cpu, absl::Span<const ResolvedEvent> events) const {
  PmcCpuPlan plan;
  plan.cpu = cpu;
  std::vector<PmcRequest> requests;
  for (size_t i = 0; i < events.size(); ++i) {
    if (std::find(events[i].cpus.begin(), events[i].cpus.end(), cpu) == events[i].cpus.end()) {
      continue;
    }
    PmcSlotPlan slot;
    slot.event = static_cast<int>(i);
    slot.setting.select = events[i].encoding.config;
    slot.setting.preload = events[i].encoding.config1;
    plan.slots.push_back(std::move(slot));
    requests.push_back(RequestOf(model_, events[i]));
  }
  absl::StatusOr<PmcUse> use = driver_->CountersInUse(cpu);
  if (!use.ok()) {
    for (PmcSlotPlan& slot : plan.slots) slot.status = use.status();
    return plan;
  }
  const auto reserved = reserved_.find(cpu);
  const uint32_t ours = reserved == reserved_.end() ? 0 : reserved->second;
  use->counters &= options_.take_counters ? 0 : ~ours;
  const std::vector<int> counters = AllocateCounters(requests, ~(ours | use->counters));
  for (size_t i = 0; i < counters.size(); ++i) {
    plan.slots[i].setting.counter = counters[i];
    if (counters[i] < 0) plan.slots[i].status = NoCounterLeft(cpu, *use);
  }
  return plan;
}

absl::StatusOr<std::unique_ptr<SettingKeeper::Hold>> X86PmcBackend::HoldRegisters(
    const std::vector<PmcCpuPlan>& cpus) {
  const char* device = options_.simulated ? kSimulatedMsrDevice : kMsrJournalDevice;
  std::vector<Setting> settings;
  for (const PmcCpuPlan& cpu : cpus) {
    uint32_t counters = 0;
    for (const PmcSlotPlan& slot : cpu.slots) {
      if (slot.status.ok()) counters |= 1u << slot.setting.counter;
    }
    if (counters == 0) continue;
    for (const uint32_t reg : driver_->RegistersOf(counters)) {
      settings.push_back({device, cpu.cpu, reg});
    }
  }
  return keeper_.Acquire(std::move(settings));
}

void X86PmcBackend::PrepareCpu(PmcCpuPlan* cpu) {
  std::vector<PmcSetting> settings;
  for (const PmcSlotPlan& slot : cpu->slots) {
    if (slot.status.ok()) settings.push_back(slot.setting);
  }
  if (settings.empty()) return;
  absl::Status prepared = driver_->Prepare(cpu->cpu, settings);
  for (PmcSlotPlan& slot : cpu->slots) {
    if (!prepared.ok() && slot.status.ok()) slot.status = prepared;
  }
}

absl::StatusOr<std::unique_ptr<CounterSet>> X86PmcBackend::Open(
    absl::Span<const ResolvedEvent> events, const CounterTarget&) {
  std::set<int> numbers;
  for (const ResolvedEvent& event : events) numbers.insert(event.cpus.begin(), event.cpus.end());
  std::vector<PmcCpuPlan> cpus;
  std::map<int, uint32_t> reserved;
  absl::MutexLock lock(&mutex_);
  for (const int number : numbers) {
    cpus.push_back(PlanCpu(number, events));
    for (const PmcSlotPlan& slot : cpus.back().slots) {
      if (slot.status.ok()) reserved[number] |= 1u << slot.setting.counter;
    }
  }
  absl::StatusOr<std::unique_ptr<SettingKeeper::Hold>> hold = HoldRegisters(cpus);
  if (!hold.ok()) return hold.status();
  for (PmcCpuPlan& cpu : cpus) PrepareCpu(&cpu);
  for (const auto& [number, counters] : reserved) reserved_[number] |= counters;
  X86PmcSetOptions set_options;
  set_options.model = &model_;
  set_options.driver = driver_.get();
  set_options.device = &device_;
  set_options.clock = options_.clock;
  set_options.poll_interval_ns =
      options_.poll_interval_ns < 0 ? PollIntervalNs(model_.width_bits) : options_.poll_interval_ns;
  return std::unique_ptr<CounterSet>(std::make_unique<X86PmcSet>(
      set_options, std::move(cpus), *std::move(hold), [this, reserved] { Release(reserved); }));
}

void X86PmcBackend::Release(const std::map<int, uint32_t>& reserved) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [number, counters] : reserved) reserved_[number] &= ~counters;
}

absl::Status X86PmcBackend::Restore(const RestoreStep& step) {
  if (step.device != kMsrJournalDevice) {
    return absl::InvalidArgumentError(
        absl::StrCat("a journal step of device \"", step.device, "\" is not one of registers"));
  }
  return settings_.Restore(step);
}

}  // namespace pmu::server
