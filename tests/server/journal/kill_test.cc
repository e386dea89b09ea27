// kill -9 of the agent at every point of a session: afterwards, a new agent's
// replay leaves registers and freeze_on_smi as they were before.
//
// A point is a moment before or after an access to a register, or a step of
// the journal's work. A child process runs two overlapping sessions and ends
// itself with SIGKILL at the n-th point; n goes on until a child comes through.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "common/event_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/backends/x86_pmc/x86_pmc_backend.h"
#include "server/journal/file_restore_journal.h"
#include "server/machine/root_files.h"
#include "server/machine/switches/freeze_on_smi.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_cpuid.h"
#include "tests/fakes/scratch_tree.h"
#include "tests/server/journal/tree_msr_device.h"

namespace pmu::server {
namespace {

constexpr char kSwitch[] = "/sys/devices/cpu/freeze_on_smi";
constexpr int kCpus = 2;

// What a class's registers are, and what they say before.
struct Machine {
  const char* name;
  const char* vendor;
  uint32_t version;
  uint32_t perfmon;  // CPUID leaf 0xA EAX
  std::vector<std::pair<uint32_t, uint64_t>> registers;
};

std::vector<Machine> Machines() {
  return {
      {"i586", "GenuineIntel", 0x525, 0, {{0x10, 5}, {0x11, 0x00160016}, {0x12, 11}, {0x13, 22}}},
      {"i686",
       "GenuineIntel",
       0x686,
       0,
       {{0x10, 5}, {0x186, 0x79}, {0x187, 0x2c0}, {0xc1, 11}, {0xc2, 22}}},
      {"architectural",
       "GenuineIntel",
       0x506e3,
       2 | 2 << 8 | 40 << 16,
       {{0x10, 5}, {0x186, 0x79}, {0x187, 0xc0}, {0xc1, 11}, {0xc2, 22}, {0x38f, 3}, {0x345, 0}}},
      {"amd",
       "AuthenticAMD",
       0x100f42,
       0,
       {{0x10, 5},
        {0xc0010000, 0x76},
        {0xc0010001, 0},
        {0xc0010002, 0},
        {0xc0010003, 0},
        {0xc0010004, 11},
        {0xc0010005, 22},
        {0xc0010006, 33},
        {0xc0010007, 44}}},
  };
}

class KillTest : public ::testing::TestWithParam<Machine> {
 protected:
  // Hundreds of children that force a journal to disk: in memory it takes
  // seconds instead of minutes, and a killed process loses nothing there.
  static void SetUpTestSuite() {
    if (access("/dev/shm", W_OK) == 0) setenv("TEST_TMPDIR", "/dev/shm", 1);
  }

  void SetUpMachine(TreeMsrDevice& device) {
    tree_.MakeDirectory("/state");
    tree_.Write(kSwitch, "0\n");
    tree_.Write("/sys/devices/system/cpu/online", "0-1\n");
    for (int cpu = 0; cpu < kCpus; ++cpu) {
      for (const auto& [reg, contents] : GetParam().registers) {
        device.Create(cpu, reg, contents);
      }
    }
  }

  std::unique_ptr<X86PmcBackend> CreateBackend(MsrDevice* device, RestoreJournal* journal) {
    cpuid_ = FakeCpuid(GetParam().vendor, GetParam().version);
    cpuid_.leaves[0xa].eax = GetParam().perfmon;
    X86PmcOptions options;
    options.root = tree_.root();
    options.device = device;
    options.cpuid = &cpuid_;
    options.clock = &clock_;
    options.journal = journal;
    options.poll_interval_ns = 0;
    return X86PmcBackend::Create(std::move(options));
  }

  static std::unique_ptr<CounterSet> Open(X86PmcBackend& backend, const char* text) {
    const auto spec = ParseEventList(text);
    const auto events = backend.Resolve(spec->front(), {});
    auto set = backend.Open(*events, {});
    return *std::move(set);
  }

  // The child: two sessions that overlap, with the switch.
  void RunSessions(const std::function<void()>& at_point) {
    TreeMsrDevice device(&tree_, at_point);
    FileRestoreJournal::Options options;
    options.at_point = [&](JournalPoint) { at_point(); };
    auto journal = *FileRestoreJournal::Open(tree_.root() + "/state", "boot-a", options);
    FreezeOnSmi freeze(tree_.root(), journal.get(), nullptr);
    auto backend = CreateBackend(&device, journal.get());

    auto hold = *freeze.Acquire();
    at_point();
    auto first = Open(*backend, "x86_pmc/event=0x2/");
    first->Enable().IgnoreError();
    auto second = Open(*backend, "x86_pmc/event=0x3,preload=77/u");
    auto second_hold = *freeze.Acquire();
    second->Enable().IgnoreError();
    std::vector<RawReading> readings(kCpus);
    first->Read(absl::MakeSpan(readings));
    first->Disable().IgnoreError();
    first.reset();
    hold.reset();
    at_point();
    second->Disable().IgnoreError();
    second.reset();
    second_hold.reset();
    at_point();
  }

  // A new agent's start.
  ReplayResult Replay() {
    TreeMsrDevice device(&tree_, [] {});
    auto journal = *FileRestoreJournal::Open(tree_.root() + "/state", "boot-a");
    FreezeOnSmi freeze(tree_.root(), journal.get(), nullptr);
    auto backend = CreateBackend(&device, journal.get());
    return journal->Replay({{"msr", backend.get()}, {"file", freeze.restore_target()}});
  }

  void ExpectAsBefore(int point) {
    TreeMsrDevice device(&tree_, [] {});
    for (int cpu = 0; cpu < kCpus; ++cpu) {
      for (const auto& [reg, contents] : GetParam().registers) {
        ASSERT_EQ(*device.Read(cpu, reg), contents)
            << "CPU " << cpu << " register 0x" << std::hex << reg << ", killed at point "
            << std::dec << point;
      }
    }
    ASSERT_EQ(ReadTrimmedFile(tree_.root() + kSwitch).value_or("none"), "0")
        << "killed at point " << point;
  }

  ScratchTree tree_;
  FakeCpuid cpuid_;
  FakeClock clock_;
};

TEST_P(KillTest, EverythingIsAsBeforeAfterAKillAtAnyPoint) {
  TreeMsrDevice device(&tree_, [] {});
  SetUpMachine(device);
  int changed_when_killed = 0;
  for (int point = 0;; ++point) {
    const pid_t child = fork();
    if (child == 0) {
      int left = point;
      RunSessions([&left] {
        if (left-- == 0) kill(getpid(), SIGKILL);
      });
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    if (ReadTrimmedFile(tree_.root() + kSwitch).value_or("none") == "1") ++changed_when_killed;
    const ReplayResult result = Replay();
    ASSERT_EQ(result.failed, 0) << result.messages.front();
    ASSERT_NO_FATAL_FAILURE(ExpectAsBefore(point));
    if (WIFEXITED(status)) {
      // The test has seen what it is about.
      EXPECT_GT(point, 50);
      EXPECT_GT(changed_when_killed, 20);
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, KillTest, ::testing::ValuesIn(Machines()),
                         [](const auto& machine) { return std::string(machine.param.name); });

}  // namespace
}  // namespace pmu::server
