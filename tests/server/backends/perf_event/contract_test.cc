// The backend contract on perf_event: with the scripted kernel, and on the
// running one.
#include <unistd.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "server/backends/perf_event/perf_event_backend.h"
#include "server/machine/root_files.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_perf_syscalls.h"
#include "tests/server/backends/backend_contract.h"

namespace pmu::server {
namespace {

// Two sockets, 36 CPUs, uncore PMUs on two of them.
class FakeKernelFixture {
 public:
  FakeKernelFixture() : syscalls_(&clock_) {
    PerfEventOptions options;
    options.root = "tests/cases/sysfs/skx-2s36c";
    options.syscalls = &syscalls_;
    options.clock = &clock_;
    options.self_test = false;
    backend_ = *PerfEventBackend::Create(options);
  }
  ~FakeKernelFixture() { EXPECT_TRUE(syscalls_.misuse().empty()) << syscalls_.misuse().front(); }

  CounterBackend& backend() { return *backend_; }
  CounterTarget target() { return {}; }
  std::string events() { return "task-clock,{cycles,instructions},uncore_imc/cas_count_read/"; }
  void Work() { clock_.Advance(1'000'000); }
  size_t resources_held() { return syscalls_.open_count(); }

 private:
  FakeClock clock_;
  FakePerfSyscalls syscalls_;
  std::unique_ptr<PerfEventBackend> backend_;
};

class LiveKernelFixture {
 public:
  LiveKernelFixture() : backend_(*PerfEventBackend::Create(PerfEventOptions())) {}

  CounterBackend& backend() { return *backend_; }
  // This very process, whose clock surely runs: needs no privileges.
  CounterTarget target() {
    CounterTarget target;
    target.pid = getpid();
    return target;
  }
  std::string events() { return "task-clock:u,{task-clock:u,page-faults:u}"; }
  void Work() {
    volatile uint64_t sink = 0;
    for (int i = 0; i < 300'000; ++i) sink = sink + 1;
  }
  size_t resources_held() { return ListDirectory("/proc/self/fd")->size(); }
  // ThreadSanitizer has a thread of its own, which mostly sleeps.
  bool Works(const CounterSlot& slot) { return slot.tid == gettid(); }

 private:
  std::unique_ptr<PerfEventBackend> backend_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(FakeKernel, BackendContract, FakeKernelFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(LiveKernel, BackendContract, LiveKernelFixture);

}  // namespace
}  // namespace pmu::server
