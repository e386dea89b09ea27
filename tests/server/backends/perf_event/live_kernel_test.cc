// The backend on the running kernel: software events and, where there are any,
// the msr PMU, cgroups and tracepoints. What the machine or its permissions do
// not offer is skipped with the reason.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/backends/perf_event/perf_event_backend.h"
#include "server/backends/perf_event/task_target.h"
#include "server/machine/cpu_topology.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr int kTouchedPages = 5000;
// Faults of the child around its work. AddressSanitizer touches a page of its
// own for every eight, ThreadSanitizer two or a few more for every one.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kOtherFaults = kTouchedPages / 8 + 100;
#elif defined(__SANITIZE_THREAD__)
constexpr int kOtherFaults = kTouchedPages * 3;
#else
constexpr int kOtherFaults = 50;
#endif

// A child process that waits for a byte, does its work, tells so with a byte,
// and stays until the parent is done with it.
class WaitingChild {
 public:
  template <typename Work>
  explicit WaitingChild(Work work) {
    EXPECT_EQ(pipe(go_), 0);
    EXPECT_EQ(pipe(done_), 0);
    pid_ = fork();
    if (pid_ != 0) return;
    // Then the end of the parent is the end of the child, whatever happens.
    close(go_[1]);
    char byte = 0;
    if (read(go_[0], &byte, 1) != 1) _exit(1);
    work();
    if (write(done_[1], "d", 1) != 1) _exit(1);
    (void)!read(go_[0], &byte, 1);
    _exit(0);
  }

  ~WaitingChild() {
    close(go_[1]);
    waitpid(pid_, nullptr, 0);
    for (const int fd : {go_[0], done_[0], done_[1]}) close(fd);
  }

  pid_t pid() const { return pid_; }

  void RunWork() {
    EXPECT_EQ(write(go_[1], "g", 1), 1);
    char byte = 0;
    EXPECT_EQ(read(done_[0], &byte, 1), 1);
  }

 private:
  int go_[2];
  int done_[2];
  pid_t pid_ = 0;
};

void TouchPages() {
  const size_t size = size_t{kTouchedPages} * 4096;
  void* const area =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) _exit(1);
  madvise(area, size, MADV_NOHUGEPAGE);
  for (size_t page = 0; page < kTouchedPages; ++page)
    static_cast<volatile char*>(area)[page * 4096] = 1;
}

int64_t ThreadCpuNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void BurnCpuNs(int64_t ns) {
  const int64_t end = ThreadCpuNs() + ns;
  while (ThreadCpuNs() < end) {
  }
}

class LiveKernelTest : public testing::Test {
 protected:
  LiveKernelTest() : backend_(*PerfEventBackend::Create(PerfEventOptions())) {}

  std::vector<ResolvedEvent> Resolve(const std::string& text, const CounterTarget& target) {
    std::vector<ResolvedEvent> all;
    const std::vector<EventSpec> specs = *ParseEventList(text);
    for (const EventSpec& spec : specs) {
      const absl::StatusOr<std::vector<ResolvedEvent>> events = backend_->Resolve(spec, target);
      EXPECT_TRUE(events.ok()) << events.status();
      if (events.ok()) all.insert(all.end(), events->begin(), events->end());
    }
    return all;
  }

  // Opens `text`; nullptr after skipping the test when not permitted.
  std::unique_ptr<CounterSet> Open(const std::string& text, const CounterTarget& target) {
    absl::StatusOr<std::unique_ptr<CounterSet>> set = backend_->Open(Resolve(text, target), target);
    EXPECT_TRUE(set.ok()) << set.status();
    return set.ok() ? *std::move(set) : nullptr;
  }

  // Why the first slot is not open, if it is not.
  static std::string Refusal(const CounterSet& set) {
    return set.slots().empty() || set.slots()[0].status.ok()
               ? ""
               : std::string(set.slots()[0].status.message());
  }

  static std::vector<RawReading> ReadAll(CounterSet& set) {
    std::vector<RawReading> readings(set.slots().size());
    set.Read(absl::MakeSpan(readings));
    return readings;
  }

  static uint64_t Sum(const CounterSet& set, const std::vector<RawReading>& readings, int event) {
    uint64_t sum = 0;
    for (size_t i = 0; i < readings.size(); ++i) {
      if (set.slots()[i].event == event) sum += readings[i].raw_count;
    }
    return sum;
  }

  std::unique_ptr<PerfEventBackend> backend_;
};

#define SKIP_IF_REFUSED(set) \
  if (!Refusal(set).empty()) GTEST_SKIP() << Refusal(set)

TEST_F(LiveKernelTest, SystemWideTaskClockIsTimeTimesCpus) {
  const std::unique_ptr<CounterSet> set = Open("task-clock", CounterTarget());
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);
  EXPECT_EQ(set->slots().size(), ReadOnlineCpus("")->size());

  ASSERT_TRUE(set->Enable().ok());
  BurnCpuNs(20'000'000);
  ASSERT_TRUE(set->Disable().ok());

  for (const RawReading& reading : ReadAll(*set)) {
    EXPECT_EQ(reading.state, ReadingState::kCounted);
    EXPECT_EQ(reading.enabled_ns, reading.running_ns);
    EXPECT_GE(reading.enabled_ns, 20'000'000u);
    // The clock event measures the time it was enabled.
    EXPECT_NEAR(static_cast<double>(reading.raw_count), static_cast<double>(reading.enabled_ns),
                0.02 * static_cast<double>(reading.enabled_ns));
  }
}

TEST_F(LiveKernelTest, PageFaultsOfAProcessAreThePagesItTouched) {
  WaitingChild child(TouchPages);
  CounterTarget target;
  target.pid = child.pid();
  const std::unique_ptr<CounterSet> set = Open("page-faults,task-clock", target);
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);
  EXPECT_EQ(set->slots()[0].tid, child.pid());
  EXPECT_EQ(set->slots()[0].cpu, -1);

  ASSERT_TRUE(set->Enable().ok());
  child.RunWork();
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_GE(readings[0].raw_count, uint64_t{kTouchedPages});
  EXPECT_LE(readings[0].raw_count, uint64_t{kTouchedPages + kOtherFaults});
}

TEST_F(LiveKernelTest, UserAndKernelFaultsAddUp) {
  WaitingChild child(TouchPages);
  CounterTarget target;
  target.pid = child.pid();
  const std::unique_ptr<CounterSet> set = Open("{page-faults,page-faults:u,page-faults:k}", target);
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  ASSERT_TRUE(set->Enable().ok());
  child.RunWork();
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = ReadAll(*set);
  const uint64_t user_faults = Sum(*set, readings, 1);
  EXPECT_EQ(Sum(*set, readings, 0), user_faults + Sum(*set, readings, 2));
  EXPECT_GE(user_faults, uint64_t{kTouchedPages});
}

TEST_F(LiveKernelTest, TaskClockOfABusyProcessIsItsCpuTime) {
  WaitingChild child([] { BurnCpuNs(50'000'000); });
  CounterTarget target;
  target.pid = child.pid();
  const std::unique_ptr<CounterSet> set = Open("task-clock", target);
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  ASSERT_TRUE(set->Enable().ok());
  child.RunWork();
  ASSERT_TRUE(set->Disable().ok());

  const uint64_t task_clock_ns = ReadAll(*set)[0].raw_count;
  EXPECT_GE(task_clock_ns, 50'000'000u);
  EXPECT_LE(task_clock_ns, 60'000'000u);
}

TEST_F(LiveKernelTest, ThreadsStartedLaterAreCounted) {
  WaitingChild child([] {
    std::thread one(TouchPages);
    std::thread two(TouchPages);
    one.join();
    two.join();
  });
  CounterTarget target;
  target.pid = child.pid();
  const std::unique_ptr<CounterSet> set = Open("{page-faults,context-switches}", target);
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  ASSERT_TRUE(set->Enable().ok());
  child.RunWork();
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_GE(ReadAll(*set)[0].raw_count, uint64_t{2 * kTouchedPages});
}

TEST_F(LiveKernelTest, GroupMembersShareTheirTimes) {
  const std::unique_ptr<CounterSet> set =
      Open("{task-clock,context-switches,page-faults}", CounterTarget());
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);
  const size_t cpus = ReadOnlineCpus("")->size();
  ASSERT_EQ(set->slots().size(), 3 * cpus);
  EXPECT_EQ(set->descriptor_count(), static_cast<int>(3 * cpus));

  ASSERT_TRUE(set->Enable().ok());
  BurnCpuNs(5'000'000);
  ASSERT_TRUE(set->Disable().ok());

  const std::vector<RawReading> readings = ReadAll(*set);
  for (size_t cpu = 0; cpu < cpus; ++cpu) {
    EXPECT_GT(readings[cpu].enabled_ns, 0u);
    EXPECT_EQ(readings[cpu].enabled_ns, readings[cpus + cpu].enabled_ns);
    EXPECT_EQ(readings[cpu].running_ns, readings[2 * cpus + cpu].running_ns);
  }
}

TEST_F(LiveKernelTest, NothingCountsBeforeEnableOrAfterDisable) {
  WaitingChild child(TouchPages);
  CounterTarget target;
  target.pid = child.pid();
  const std::unique_ptr<CounterSet> set = Open("page-faults", target);
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  EXPECT_EQ(ReadAll(*set)[0].state, ReadingState::kNotCounted);
  ASSERT_TRUE(set->Enable().ok());
  ASSERT_TRUE(set->Disable().ok());
  child.RunWork();

  EXPECT_LT(ReadAll(*set)[0].raw_count, 50u);
}

TEST_F(LiveKernelTest, TimeStampCounterRuns) {
  const absl::StatusOr<std::vector<ResolvedEvent>> events =
      backend_->Resolve(ParseEventList("msr/tsc/")->front(), CounterTarget());
  if (!events.ok()) GTEST_SKIP() << events.status().message();
  EXPECT_EQ(events->front().combine, CombineRule::kNone);
  const std::unique_ptr<CounterSet> set = Open("msr/tsc/", CounterTarget());
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  ASSERT_TRUE(set->Enable().ok());
  BurnCpuNs(2'000'000);
  const std::vector<RawReading> first = ReadAll(*set);
  BurnCpuNs(2'000'000);
  const std::vector<RawReading> second = ReadAll(*set);

  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_GT(first[i].raw_count, 100'000u);
    EXPECT_GT(second[i].raw_count, first[i].raw_count);
  }
}

TEST_F(LiveKernelTest, UnsupportedEventLeavesTheOthersCounting) {
  const std::unique_ptr<CounterSet> set = Open("page-faults,cycles", CounterTarget());
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);
  const size_t cpus = ReadOnlineCpus("")->size();
  if (set->slots()[cpus].status.ok()) GTEST_SKIP() << "this machine counts cycles";

  ASSERT_TRUE(set->Enable().ok());
  BurnCpuNs(2'000'000);

  const std::vector<RawReading> readings = ReadAll(*set);
  EXPECT_EQ(readings[0].state, ReadingState::kCounted);
  EXPECT_EQ(readings[cpus].state, ReadingState::kNotSupported);
  EXPECT_NE(set->slots()[cpus].status.message().find("not supported"), std::string::npos)
      << set->slots()[cpus].status;
}

TEST_F(LiveKernelTest, EndedProcessIsNotFound) {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  CounterTarget target;
  target.pid = pid;

  const absl::StatusOr<std::unique_ptr<CounterSet>> set =
      backend_->Open(Resolve("page-faults", target), target);

  EXPECT_TRUE(absl::IsNotFound(set.status())) << set.status();
}

// A cgroup of its own below the mount; the child moves into it.
TEST_F(LiveKernelTest, PageFaultsOfACgroup) {
  const absl::StatusOr<std::string> top = FindCgroupDirectory("", "/");
  if (!top.ok()) GTEST_SKIP() << top.status().message();
  const std::string name = "pmu-test-" + std::to_string(getpid());
  const std::string directory = *top + "/" + name;
  if (mkdir(directory.c_str(), 0755) != 0) GTEST_SKIP() << "cannot make a cgroup in " << *top;
  {
    WaitingChild child([&directory] {
      std::ofstream(directory + "/cgroup.procs") << getpid() << std::flush;
      TouchPages();
    });
    CounterTarget target;
    target.cgroup = name;
    const std::unique_ptr<CounterSet> set = Open("page-faults", target);
    if (set != nullptr && Refusal(*set).empty()) {
      EXPECT_TRUE(set->Enable().ok());
      child.RunWork();
      EXPECT_TRUE(set->Disable().ok());

      const uint64_t faults = Sum(*set, ReadAll(*set), 0);
      EXPECT_GE(faults, uint64_t{kTouchedPages});
      EXPECT_LE(faults, uint64_t{kTouchedPages + kOtherFaults});
    } else {
      ADD_FAILURE() << (set != nullptr ? Refusal(*set) : "not opened");
    }
  }
  EXPECT_EQ(rmdir(directory.c_str()), 0);
}

TEST_F(LiveKernelTest, MissingCgroupIsNotFound) {
  if (!FindCgroupDirectory("", "/").ok()) GTEST_SKIP() << "no cgroup hierarchy to count";
  CounterTarget target;
  target.cgroup = "no-such-cgroup";

  const absl::StatusOr<std::unique_ptr<CounterSet>> set =
      backend_->Open(Resolve("page-faults", target), target);

  EXPECT_TRUE(absl::IsNotFound(set.status())) << set.status();
}

// Where it is not mounted: for this process alone, if it may.
void MountTracefs() {
  if (access("/sys/kernel/tracing/events", F_OK) == 0 || unshare(CLONE_NEWNS) != 0) return;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
  (void)mount("nodev", "/sys/kernel/tracing", "tracefs", 0, nullptr);
}

TEST_F(LiveKernelTest, Tracepoint) {
  MountTracefs();
  const absl::StatusOr<std::vector<ResolvedEvent>> events =
      backend_->Resolve(ParseEventList("sched:sched_switch")->front(), CounterTarget());
  if (!events.ok()) GTEST_SKIP() << events.status().message();
  const std::unique_ptr<CounterSet> set =
      Open("sched:sched_switch,context-switches", CounterTarget());
  ASSERT_NE(set, nullptr);
  SKIP_IF_REFUSED(*set);

  ASSERT_TRUE(set->Enable().ok());
  std::this_thread::yield();
  WaitingChild child([] {});
  child.RunWork();

  EXPECT_GT(Sum(*set, ReadAll(*set), 0), 0u);
}

TEST_F(LiveKernelTest, SelfTestBelievesTheSoftwareClock) {
  bool found = false;
  for (const PmuInfo& pmu : backend_->Describe().pmus) {
    if (pmu.name != "software") continue;
    found = true;
    EXPECT_EQ(pmu.health, PmuHealth::kCounts) << pmu.note;
  }
  if (!found) GTEST_SKIP() << "no software PMU in /sys";
}

TEST_F(LiveKernelTest, DescriptorsAreReleased) {
  const auto count_descriptors = [] { return ListDirectory("/proc/self/fd")->size(); };
  const size_t before = count_descriptors();
  {
    const std::unique_ptr<CounterSet> set =
        Open("{task-clock,page-faults},context-switches", CounterTarget());
    ASSERT_NE(set, nullptr);
    SKIP_IF_REFUSED(*set);
    EXPECT_EQ(count_descriptors(), before + static_cast<size_t>(set->descriptor_count()));
  }
  EXPECT_EQ(count_descriptors(), before);
}

}  // namespace
}  // namespace pmu::server
