#include "server/backends/cci400/cci400_backend.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/backends/cci400/cci400_registers.h"
#include "server/machine/root_files.h"
#include "server/registers/allow_list.h"

namespace pmu::server {
namespace {

constexpr const char* kBackendName = "cci400";

// The kernel's PMU of a CCI-400; "" none.
std::string KernelPmu(absl::string_view root) {
  const absl::StatusOr<std::vector<std::string>> pmus =
      ListDirectory(RootedPath(root, "/sys/bus/event_source/devices"));
  if (!pmus.ok()) return "";
  for (const std::string& pmu : *pmus) {
    if (absl::StartsWith(pmu, "CCI_400")) return pmu;
  }
  return "";
}

// A set none of whose counters could be opened.
class ClosedSet final : public CounterSet {
 public:
  ClosedSet(size_t events, const absl::Status& status) : slots_(events) {
    for (size_t i = 0; i < events; ++i) {
      slots_[i].event = static_cast<int>(i);
      slots_[i].status = status;
    }
  }
  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override { return 0; }
  absl::Status Enable() override { return absl::OkStatus(); }
  absl::Status Disable() override { return absl::OkStatus(); }
  void Read(absl::Span<RawReading> out) override {
    for (RawReading& reading : out) {
      reading = {};
      reading.state = ReadingState::kNotSupported;
    }
  }

 private:
  std::vector<CounterSlot> slots_;
};

}  // namespace

Cci400Backend::Cci400Backend(Cci400Options options) : options_(std::move(options)) {
  if (options_.region == nullptr) {
    identified_ = absl::FailedPreconditionError(options_.region_status.ok()
                                                    ? "no CCI-400 registers are configured"
                                                    : options_.region_status.message());
    return;
  }
  guard_ =
      std::make_unique<GuardedMmioRegion>(options_.region, Cci400AllowList(), options_.observer);
  const absl::Status status = Identify();
  // Whatever is wrong with the device, its events are known but not countable.
  if (!status.ok()) identified_ = absl::FailedPreconditionError(status.message());
}

absl::Status Cci400Backend::Identify() {
  if (guard_->size_bytes() < kCci400ViewBytes) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: a window of 0x%x bytes; the CCI-400's whole view of 0x%x is needed, for PMCR lies "
        "outside its PMU's part",
        guard_->Description(), guard_->size_bytes(), kCci400ViewBytes));
  }
  absl::StatusOr<uint32_t> id = guard_->Read32(kPeripheralId2);
  if (!id.ok()) return id.status();
  absl::StatusOr<uint32_t> pmcr = guard_->Read32(kPmcr);
  if (!pmcr.ok()) return pmcr.status();
  if (PmcrCounterNumber(*pmcr) != kCci400EventCounters) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: PMCR reads 0x%x, that is %d event counters where a CCI-400 has 4: wrong address, or "
        "the device is not clocked",
        guard_->Description(), *pmcr, PmcrCounterNumber(*pmcr)));
  }
  revision_ = Cci400RevisionOf(*id);
  return absl::OkStatus();
}

absl::Status Cci400Backend::Availability() const {
  if (!options_.simulated) {
    const std::string kernel_pmu = KernelPmu(options_.root);
    if (!kernel_pmu.empty()) {
      return absl::FailedPreconditionError(absl::StrCat("the kernel's PMU ", kernel_pmu,
                                                        " holds the CCI-400's counters: use ",
                                                        kernel_pmu, "/.../ through perf_event"));
    }
  }
  return identified_;
}

BackendInfo Cci400Backend::Describe() const {
  BackendInfo info;
  info.name = kBackendName;
  info.availability = Availability();
  info.simulated = options_.simulated;
  if (!info.availability.ok()) return info;
  PmuInfo pmu;
  pmu.name = kCci400Pmu;
  pmu.note = absl::StrCat("CCI-400 ", Cci400RevisionName(revision_), ", 4 event counters, ",
                          guard_->Description());
  for (uint32_t source = 0; source < kCci400Sources; ++source) {
    if (options_.interface_names[source].empty()) continue;
    absl::StrAppend(&pmu.note, ", ", Cci400InterfaceText(source, options_.interface_names));
  }
  info.pmus.push_back(std::move(pmu));
  return info;
}

CounterInfo Cci400Backend::CyclesInfo() const {
  CounterInfo info;
  info.name = "cci400/cycles/";
  info.pmu = kCci400Pmu;
  info.description = "clock cycles of the interconnect";
  info.width_bits = kCci400CounterBits;
  info.domain = CounterDomain::kSystem;
  info.capabilities = {CounterCapability::kRead, CounterCapability::kSystem,
                       CounterCapability::kWrite};
  info.availability = Availability();
  info.simulated = options_.simulated;
  return info;
}

CounterInfo Cci400Backend::EventInfo(const Cci400Event& event) const {
  CounterInfo info = CyclesInfo();
  info.name = absl::StrCat("cci400/", event.name, ",source=?/");
  info.description =
      absl::StrCat(event.description, event.is_master ? "; on master interface M0 to M2 (5 to 7)"
                                                      : "; on slave interface S0 to S4 (0 to 4)");
  for (uint32_t source = 0; source < kCci400Sources; ++source) {
    if (IsMasterInterface(source) != event.is_master || options_.interface_names[source].empty()) {
      continue;
    }
    absl::StrAppend(&info.description, ", ", Cci400InterfaceText(source, options_.interface_names));
  }
  info.required_terms = {"source"};
  return info;
}

std::vector<CounterInfo> Cci400Backend::ListCounters() const {
  std::vector<CounterInfo> counters = {CyclesInfo()};
  // Without a device its revision, and so its events, are not known.
  if (!identified_.ok()) return counters;
  for (const Cci400Event& event : Cci400Events(revision_)) counters.push_back(EventInfo(event));
  return counters;
}

absl::StatusOr<std::vector<ResolvedEvent>> Cci400Backend::Resolve(
    const EventSpec& event, const CounterTarget& target) const {
  absl::StatusOr<Cci400Selection> selection =
      SelectCci400Event(event, revision_, options_.interface_names);
  if (absl::IsNotFound(selection.status())) return selection.status();
  const absl::Status available = Availability();
  if (!available.ok()) return available;
  if (!selection.ok()) return selection.status();
  if (target.pid != 0 || !target.cgroup.empty()) {
    return absl::FailedPreconditionError(
        "the CCI-400 counts for the whole system and cannot be limited to a process or cgroup: "
        "measure system-wide");
  }
  ResolvedEvent resolved;
  resolved.text = event.text;
  resolved.pmu = kCci400Pmu;
  resolved.pmu_family = kCci400Pmu;
  resolved.encoding.config = selection->select;
  resolved.domain = CounterDomain::kSystem;
  resolved.group = event.group;
  resolved.simulated = options_.simulated;
  if (!target.cpus.empty()) {
    resolved.warnings.push_back("counts the whole system, not only the chosen CPUs");
  }
  return std::vector<ResolvedEvent>{std::move(resolved)};
}

absl::StatusOr<std::unique_ptr<CounterSet>> Cci400Backend::Open(
    absl::Span<const ResolvedEvent> events, const CounterTarget& target) {
  absl::Status usable = Availability();
  if (usable.ok() && in_use_.exchange(true)) {
    usable = absl::ResourceExhaustedError(
        "the CCI-400's counters are in use by another session of this agent");
  }
  if (!usable.ok()) return std::make_unique<ClosedSet>(events.size(), usable);
  Cci400SetOptions set_options;
  set_options.region = guard_.get();
  set_options.clock = options_.clock;
  set_options.journal = options_.journal;
  // Simulated registers end with the agent; replaying them would write to real
  // ones.
  set_options.journal_device = options_.simulated ? "simulated-cci400" : kBackendName;
  set_options.max_clock_hz = options_.max_clock_hz;
  set_options.poll_interval_ns = options_.poll_interval_ns;
  set_options.slice_ns = options_.slice_ns;
  set_options.share = target.multiplex;
  set_options.take_over = options_.take_over;
  absl::StatusOr<std::unique_ptr<Cci400Set>> set =
      Cci400Set::Open(events, set_options, [this] { in_use_ = false; });
  if (set.ok()) return set;
  in_use_ = false;
  return std::make_unique<ClosedSet>(events.size(), set.status());
}

absl::Status Cci400Backend::Restore(const RestoreStep& step) {
  if (guard_ == nullptr) return identified_;
  if (step.device != kBackendName || step.address > 0xffffffff || step.data > 0xffffffff) {
    return absl::InvalidArgumentError(
        absl::StrCat("a journal step of device \"", step.device, "\" is not the CCI-400's"));
  }
  return guard_->Write32(static_cast<uint32_t>(step.address), static_cast<uint32_t>(step.data));
}

}  // namespace pmu::server
