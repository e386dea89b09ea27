// The backend on register files that behave as the kernel's do.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/backends/aperf_mperf/aperf_mperf_backend.h"
#include "server/registers/file_msr_device.h"
#include "tests/fakes/fake_cpuid.h"
#include "tests/server/registers/fuse_tree.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AperfMperfFuseTest : public ::testing::Test {
 protected:
  AperfMperfFuseTest() : cpuid_("GenuineIntel", 0x000506e3) { cpuid_.leaves[6].ecx = 1; }
  void SetUp() override {
    const std::string why_not = FuseTree::WhyNot();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }

  std::unique_ptr<AperfMperfBackend> Create(const std::string& root, MsrDevice* device) {
    AperfMperfOptions options;
    options.root = root;
    options.device = device;
    options.cpuid = &cpuid_;
    options.clock = &SystemClock();
    options.online_cpus = [] { return CpuList{0, 1}; };
    options.busy_loop = [](int, int64_t duration_ns) { return KeepCpuBusy(0, duration_ns); };
    return AperfMperfBackend::Create(std::move(options));
  }
  std::string Reason(const std::vector<std::string>& specs) {
    FuseTree tree(specs);
    EXPECT_TRUE(tree.serves());
    FileMsrDevice device(tree.root());
    return std::string(Create(tree.root(), &device)->Describe().availability.message());
  }

  FakeCpuid cpuid_;
};

TEST_F(AperfMperfFuseTest, RegistersThatRunAreAvailable) {
  EXPECT_EQ(Reason({"aperf-mperf:cpus=2"}), "");
}

TEST_F(AperfMperfFuseTest, RegistersThatReadZeroStandStill) {
  EXPECT_THAT(Reason({"aperf-mperf:cpus=2,zero=0xe8"}),
              HasSubstr("APERF (MSR 0xe8) did not increase while CPU 0 was busy: it read 0x0"));
  EXPECT_THAT(Reason({"aperf-mperf:cpus=2,stuck=0xe7"}), HasSubstr("MPERF (MSR 0xe7)"));
}

TEST_F(AperfMperfFuseTest, RegistersThatFaultAreNamed) {
  EXPECT_THAT(
      Reason({"aperf-mperf:cpus=2,fault=0xe7"}),
      AllOf(HasSubstr("MPERF cannot be read"), HasSubstr("0xe7"), HasSubstr("no such register")));
}

TEST_F(AperfMperfFuseTest, CountsOverRealFiles) {
  FuseTree tree({"aperf-mperf:cpus=2,cycles=3G,nominal=2G"});
  ASSERT_TRUE(tree.serves());
  FileMsrDevice device(tree.root());
  auto backend = Create(tree.root(), &device);
  const auto specs = ParseEventList("perf-aperf,perf-mperf");
  std::vector<ResolvedEvent> events;
  for (const EventSpec& spec : *specs) events.push_back(backend->Resolve(spec, {})->front());
  auto set = backend->Open(events, {});
  ASSERT_TRUE(set.ok());
  ASSERT_TRUE((*set)->Enable().ok());
  ASSERT_TRUE(KeepCpuBusy(0, 200'000'000).ok());
  ASSERT_TRUE((*set)->Disable().ok());
  std::vector<RawReading> readings(4);
  (*set)->Read(absl::MakeSpan(readings));

  for (int cpu = 0; cpu < 2; ++cpu) {
    ASSERT_EQ(readings[cpu].state, ReadingState::kCounted);
    const double ratio = static_cast<double>(readings[cpu].raw_count) /
                         static_cast<double>(readings[2 + cpu].raw_count);
    EXPECT_NEAR(ratio, 1.5, 0.03) << "CPU " << cpu;  // the pair may be 1% apart
  }
}

}  // namespace
}  // namespace pmu::server
