// What every backend must do, done by the free-running registers.
#include <string>

#include "server/backends/aperf_mperf/aperf_mperf_backend.h"
#include "server/registers/simulated/simulated_machine.h"
#include "tests/fakes/fake_clock.h"
#include "tests/server/backends/backend_contract.h"

namespace pmu::server {
namespace {

class AperfMperfFixture {
 public:
  static constexpr bool kHoldsNothing = true;

  AperfMperfFixture() {
    AperfMperfOptions options;
    options.device = machine_->cpus();
    options.cpuid = machine_->cpus();
    options.clock = &clock_;
    options.busy_loop = [this](int, int64_t duration_ns) {
      clock_.Advance(duration_ns);
      return absl::OkStatus();
    };
    options.online_cpus = [this] { return machine_->cpus()->OnlineCpus(); };
    options.simulated = true;
    backend_ = AperfMperfBackend::Create(std::move(options));
  }

  CounterBackend& backend() { return *backend_; }
  CounterTarget target() { return {}; }
  std::string events() { return "perf-aperf,{perf-mperf,smi}"; }
  void Work() { clock_.Advance(1'000'000); }
  size_t resources_held() const { return 0; }

 private:
  FakeClock clock_;
  std::unique_ptr<SimulatedMachine> machine_ =
      SimulatedMachine::Create({"aperf-mperf:cpus=2", "smi"}, &clock_).value();
  std::unique_ptr<AperfMperfBackend> backend_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(AperfMperf, BackendContract, AperfMperfFixture);

}  // namespace
}  // namespace pmu::server
