// Requests from the wire that reach registers: a StartSession with events,
// target and limits from the input goes through the checks and the session
// manager to the backends of a simulated machine. Whatever it says, nothing
// but the registers of its counters is written, every register is as before
// afterwards, and nothing crashes.
//
// Input: a byte of switches, a byte for the cycle limit, a byte that moves the
// clock, then an event list.
#include <stddef.h>
#include <stdint.h>

#include <map>
#include <memory>
#include <string>

#include "proto/pmu/v1/service.pb.h"
#include "server/backends/aperf_mperf/aperf_mperf_backend.h"
#include "server/backends/cci400/cci400_backend.h"
#include "server/backends/x86_pmc/x86_pmc_backend.h"
#include "server/log.h"
#include "server/registers/simulated/simulated_machine.h"
#include "server/session_manager.h"
#include "server/spec_check.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_restore_journal.h"
#include "tests/fakes/fake_scheduler.h"

namespace pmu::server {
namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

// What may be written: said here again, apart from the allow-lists.
bool MayWriteMsr(uint32_t reg) {
  return (reg >= 0x186 && reg <= 0x189) || (reg >= 0x4c1 && reg <= 0x4c4) || reg == 0x38f;
}
bool MayWriteCci400(uint32_t offset) {
  return offset == 0x100 || (offset > 0x9000 && offset < 0xe000 && (offset & 0xff3) == 0) ||
         (offset >= 0xa000 && offset < 0xe000 && (offset & 0xfff) == 0);
}

// Below the guards: what really reaches the devices.
class WatchedMsrs final : public MsrDevice {
 public:
  explicit WatchedMsrs(SimulatedCpus* device) : device_(device) {}
  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override { return device_->Read(cpu, reg); }
  absl::Status Write(int cpu, uint32_t reg, uint64_t contents) override {
    Require(MayWriteMsr(reg));
    return device_->Write(cpu, reg, contents);
  }
  std::string Description() const override { return "watched"; }

 private:
  SimulatedCpus* const device_;
};

class WatchedRegion final : public MmioRegion {
 public:
  explicit WatchedRegion(SimulatedCci400* device) : device_(device) {}
  absl::StatusOr<uint32_t> Read32(uint32_t offset) override { return device_->Read32(offset); }
  absl::Status Write32(uint32_t offset, uint32_t contents) override {
    Require(MayWriteCci400(offset));
    return device_->Write32(offset, contents);
  }
  uint32_t size_bytes() const override { return device_->size_bytes(); }
  std::string Description() const override { return "watched"; }

 private:
  SimulatedCci400* const device_;
};

// All that sessions may change.
std::map<uint64_t, uint64_t> AllRegisters(SimulatedMachine* machine) {
  std::map<uint64_t, uint64_t> contents;
  for (uint32_t reg = 0; reg < 0x500; ++reg) {
    if (MayWriteMsr(reg)) contents[reg] = machine->cpus()->Read(0, reg).value();
  }
  for (uint32_t offset = 0; offset < 0xe000; offset += 4) {
    if (!MayWriteCci400(offset)) continue;
    const auto read = machine->cci400()->Read32(offset);
    contents[uint64_t{1} << 32 | offset] = read.ok() ? *read : 0;
  }
  return contents;
}

pmu::v1::StartSessionRequest RequestOf(const uint8_t* data, absl::string_view events) {
  pmu::v1::StartSessionRequest request;
  pmu::v1::SessionSpec& spec = *request.mutable_spec();
  spec.set_events(std::string(events));
  spec.set_multiplex(data[0] & 1);
  spec.set_cycle_limit(data[1] * uint64_t{1'000'000});
  if (data[0] & 2) spec.mutable_target()->set_pid(1);
  if (data[0] & 4) spec.mutable_target()->set_cpus("0");
  if (data[0] & 8) spec.mutable_target()->set_cgroup("web");
  request.set_dry_run((data[0] & 16) != 0);
  request.set_start_now((data[0] & 32) != 0);
  return request;
}

class Machine {
 public:
  Machine() : msrs_(simulated_->cpus()), region_(simulated_->cci400()) {
    const auto online = [this]() -> absl::StatusOr<CpuList> {
      return simulated_->cpus()->OnlineCpus();
    };
    X86PmcOptions x86_pmc;
    x86_pmc.device = &msrs_;
    x86_pmc.cpuid = simulated_->cpus();
    x86_pmc.clock = &clock_;
    x86_pmc.journal = &journal_;
    x86_pmc.simulated = true;
    x86_pmc.online_cpus = online;
    x86_pmc.poll_interval_ns = 0;
    x86_pmc_ = X86PmcBackend::Create(x86_pmc);
    AperfMperfOptions aperf_mperf;
    aperf_mperf.device = &msrs_;
    aperf_mperf.cpuid = simulated_->cpus();
    aperf_mperf.clock = &clock_;
    aperf_mperf.simulated = true;
    aperf_mperf.online_cpus = online;
    aperf_mperf.busy_loop = [this](int, int64_t duration_ns) {
      clock_.Advance(duration_ns);
      return absl::OkStatus();
    };
    aperf_mperf_ = AperfMperfBackend::Create(aperf_mperf);
    Cci400Options cci400;
    cci400.region = &region_;
    cci400.simulated = true;
    cci400.clock = &clock_;
    cci400.journal = &journal_;
    cci400.poll_interval_ns = 0;
    cci400_ = std::make_unique<Cci400Backend>(cci400);
  }

  void Run(const pmu::v1::StartSessionRequest& request, uint8_t moves) {
    const auto before = AllRegisters(simulated_.get());
    FakeScheduler scheduler(&clock_);
    SessionManager manager({x86_pmc_.get(), aperf_mperf_.get(), cci400_.get()}, Limits(),
                           &scheduler, &clock_);
    const absl::StatusOr<StartRequest> checked = CheckStartRequest(request, manager.limits());
    if (!checked.ok()) return;
    const absl::StatusOr<StartedSession> started = manager.Start(*checked);
    if (started.ok() && started->session != nullptr) {
      Session& session = *started->session;
      session.Trigger(0, 0).IgnoreError();
      scheduler.Advance(int64_t{moves} * 20'000'000);
      session.Read([](const Sample&, SessionState) {});
      if (moves & 1) session.Stop(0, [](const absl::Status&) {});
    }
    manager.Shutdown();
    Require(AllRegisters(simulated_.get()) == before);
    Require(journal_.pending.empty());
  }

 private:
  FakeClock clock_;
  FakeRestoreJournal journal_;
  const std::unique_ptr<SimulatedMachine> simulated_ =
      SimulatedMachine::Create({"smi:cpus=1", "cci400-r1:seed=1"}, &clock_).value();
  WatchedMsrs msrs_;
  WatchedRegion region_;
  std::unique_ptr<X86PmcBackend> x86_pmc_;
  std::unique_ptr<AperfMperfBackend> aperf_mperf_;
  std::unique_ptr<Cci400Backend> cci400_;
};

}  // namespace
}  // namespace pmu::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  pmu::server::SetLogLevel(pmu::server::LogLevel::kError);
  const absl::string_view events(reinterpret_cast<const char*>(data + 3), size - 3);
  pmu::server::Machine().Run(pmu::server::RequestOf(data, events), data[2]);
  return 0;
}
