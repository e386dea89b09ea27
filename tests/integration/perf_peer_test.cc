// The same program, counted at the same time by pmuctl and by perf stat.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/agent.h"
#include "tests/integration/run_result.h"

namespace pmu::integration {
namespace {

using ::testing::SizeIs;

constexpr int kPages = 20000;
constexpr int kSleeps = 500;
#ifdef __SANITIZE_THREAD__
constexpr int kOtherPages = 3 * kPages;  // the sanitizer's own, for each page
#else
constexpr int kOtherPages = 100;  // stdio's
#endif

// A worker that does its work when a byte arrives in `in` and answers in `out`.
class Worker {
 public:
  Worker() {
    mkfifo(in().c_str(), 0600);
    mkfifo(out().c_str(), 0600);
    const char* root = getenv("TEST_SRCDIR");
    const std::string program = absl::StrCat(root, "/pmu/tests/integration/worker");
    // Opened for reading and writing, so that neither end blocks.
    process_ = Process::Start(
        {"sh", "-c",
         absl::StrCat("exec ", program, " ", kPages, " ", kSleeps, " 0<>", in(), " 1<>", out())});
    WaitUntil([this] { return ReadFile(absl::StrCat("/proc/", pid(), "/comm")) == "worker\n"; });
  }

  pid_t pid() const { return process_->pid(); }
  // A shell command that makes it work once and waits until it is done.
  std::string WorkOnce() const { return absl::StrCat("echo > ", in(), "; read answer < ", out()); }

 private:
  std::string in() const { return scratch_.path() + "/in"; }
  std::string out() const { return scratch_.path() + "/out"; }

  ScratchDirectory scratch_;
  std::unique_ptr<Process> process_;
};

// perf attached to a process; counts until Finish.
class PerfStat {
 public:
  PerfStat(pid_t pid, const std::string& events) {
    process_ = Process::Start({"perf", "stat", "-x", ";", "-e", events, "-p", absl::StrCat(pid)});
    WaitUntil([this] { return OpenCounters() >= 2; });
  }

  // Count by event name.
  std::map<std::string, int64_t> Finish() {
    process_->Signal(SIGINT);
    std::map<std::string, int64_t> counts;
    for (absl::string_view line : absl::StrSplit(process_->Wait().err, '\n')) {
      const std::vector<std::string> fields = absl::StrSplit(line, ';');
      int64_t count = 0;
      if (fields.size() > 2 && absl::SimpleAtoi(fields[0], &count)) counts[fields[2]] = count;
    }
    return counts;
  }

 private:
  int OpenCounters() const {
    int counters = 0;
    std::error_code ignored;
    const std::string directory = absl::StrCat("/proc/", process_->pid(), "/fd");
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
      const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
      if (target.find("perf_event") != std::string::npos) ++counters;
    }
    return counters;
  }

  std::unique_ptr<Process> process_;
};

TEST(PerfPeerTest, CountsOfAProcessEqualThoseOfPerfStat) {
  if (RunProcess({"perf", "stat", "-e", "page-faults", "true"}).status != 0) {
    GTEST_SKIP() << "perf (Debian's linux-perf) does not count here";
  }
  const auto agents = StartAgents(1);
  ASSERT_THAT(agents, SizeIs(1));
  Worker worker;
  PerfStat perf(worker.pid(), "page-faults,context-switches");

  const Finished done =
      Pmuctl({"run", "--hosts", HostsOf(agents), "--pid", absl::StrCat(worker.pid()), "-e",
              "page-faults,context-switches", "-j", "--output", "/dev/stderr", "--", "sh", "-c",
              worker.WorkOnce()});

  const std::map<std::string, int64_t> peer = perf.Finish();
  ASSERT_EQ(done.status, 0) << done.err;
  Finished output = done;
  output.out = done.err;
  const RunResult result(output);
  const int64_t faults = Integer(result.Row("page-faults").at("total").at("count"));
  const int64_t switches = Integer(result.Row("context-switches").at("total").at("count"));
  EXPECT_GE(faults, kPages);
  EXPECT_LE(faults, kPages + kOtherPages);
  EXPECT_EQ(faults, peer.at("page-faults"));
  EXPECT_GE(switches, kSleeps);
  // The two do not attach in the same instant: the read it sleeps in counts.
  EXPECT_NEAR(static_cast<double>(switches), static_cast<double>(peer.at("context-switches")), 2);
}

}  // namespace
}  // namespace pmu::integration
