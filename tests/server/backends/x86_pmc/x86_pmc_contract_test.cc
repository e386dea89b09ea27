// What every backend must do, done by each class of counters.
#include <string>

#include "tests/fakes/fake_restore_journal.h"
#include "tests/server/backends/backend_contract.h"
#include "tests/server/backends/x86_pmc/x86_pmc_fixture.h"

namespace pmu::server {
namespace {

template <const char* kSpec>
class X86PmcContract {
 public:
  CounterBackend& backend() { return *machine_.backend; }
  CounterTarget target() { return {}; }
  std::string events() { return "{x86_pmc/event=0x2/,x86_pmc/event=0x3/u}"; }
  void Work() { machine_.clock.Advance(1'000'000); }
  size_t resources_held() const { return journal_.pending.size(); }

 private:
  FakeRestoreJournal journal_;
  SimulatedX86 machine_{{kSpec}, &journal_};
};

constexpr char kP5[] = "p5:cpus=2";
constexpr char kP6[] = "p6:cpus=2";
constexpr char kArchPerfmon[] = "arch-perfmon:cpus=2";
constexpr char kArchPerfmon1[] = "arch-perfmon:cpus=2,version=1,counters=2,width=40";
constexpr char kAmd[] = "amd:cpus=2";

using Classes =
    ::testing::Types<X86PmcContract<kP5>, X86PmcContract<kP6>, X86PmcContract<kArchPerfmon>,
                     X86PmcContract<kArchPerfmon1>, X86PmcContract<kAmd>>;
INSTANTIATE_TYPED_TEST_SUITE_P(X86Pmc, BackendContract, Classes);

}  // namespace
}  // namespace pmu::server
