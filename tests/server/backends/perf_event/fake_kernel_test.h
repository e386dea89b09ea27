// fake_kernel_test.h: a fixture, the backend on a scripted kernel. Tests only.
#ifndef PMU_TESTS_SERVER_BACKENDS_PERF_EVENT_FAKE_KERNEL_TEST_H_
#define PMU_TESTS_SERVER_BACKENDS_PERF_EVENT_FAKE_KERNEL_TEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/backends/perf_event/perf_event_backend.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_perf_syscalls.h"

namespace pmu::server {

using Event = FakePerfSyscalls::Event;

inline constexpr int64_t kMs = 1'000'000;

// A backend of the tree skx-2s36c (two sockets, CPUs 0-35) or another one. At
// the end nothing may be left open, and the kernel must have been used rightly.
class FakeKernelTest : public testing::Test {
 protected:
  FakeKernelTest() : syscalls_(&clock_) { UseTree("skx-2s36c"); }
  ~FakeKernelTest() override {
    EXPECT_EQ(syscalls_.open_count(), 0u) << "descriptors leaked";
    EXPECT_TRUE(syscalls_.misuse().empty()) << syscalls_.misuse().front();
  }

  void UseTree(const std::string& tree) {
    PerfEventOptions options;
    options.root = absl::StartsWith(tree, "/") ? tree : "tests/cases/sysfs/" + tree;
    options.syscalls = &syscalls_;
    options.clock = &clock_;
    options.self_test = false;
    backend_ = *PerfEventBackend::Create(options);
  }

  absl::StatusOr<std::unique_ptr<CounterSet>> TryOpen(const std::string& text,
                                                      const CounterTarget& target) {
    const std::vector<EventSpec> specs = ParseEventList(text).value();
    std::vector<ResolvedEvent> all;
    for (const EventSpec& spec : specs) {
      const absl::StatusOr<std::vector<ResolvedEvent>> events = backend_->Resolve(spec, target);
      EXPECT_TRUE(events.ok()) << events.status();
      all.insert(all.end(), events->begin(), events->end());
    }
    return backend_->Open(all, target);
  }

  std::unique_ptr<CounterSet> Open(const std::string& text, const CpuList& cpus = {0, 1}) {
    CounterTarget target;
    target.cpus = cpus;
    absl::StatusOr<std::unique_ptr<CounterSet>> set = TryOpen(text, target);
    EXPECT_TRUE(set.ok()) << set.status();
    return *std::move(set);
  }

  static std::vector<RawReading> ReadAll(CounterSet& set) {
    std::vector<RawReading> readings(set.slots().size());
    set.Read(absl::MakeSpan(readings));
    return readings;
  }

  FakeClock clock_;
  FakePerfSyscalls syscalls_;
  std::unique_ptr<PerfEventBackend> backend_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_BACKENDS_PERF_EVENT_FAKE_KERNEL_TEST_H_
