#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "client/cli/commands.h"
#include "tests/client/cli/captured_environment.h"

namespace pmu::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

client::HostResult MeasuredHost(const std::string& name, uint64_t count) {
  client::CounterReading reading;
  reading.cpu = 0;
  reading.reading = {count, 1000, 1000, ReadingState::kCounted};
  client::EventResult event;
  event.event.set_text("page-faults");
  event.event.set_supported(true);
  event.event.set_scale(1);
  event.readings = {reading};
  client::HostResult host;
  host.host = name;
  host.measured_ns = 1'000'000'000;
  host.events = {event};
  return host;
}

class RunCommandTest : public testing::Test {
 protected:
  RunCommandTest() {
    unsetenv("PMU_HOSTS");
    script().result.requested_events = {"page-faults"};
    script().result.hosts = {MeasuredHost("a", 30), MeasuredHost("b", 12)};
  }

  MeasurementScript& script() { return captured_.script(); }

  int Run(const std::vector<std::string>& more) {
    std::vector<std::string> args = {"--hosts", "a,b", "-e", "page-faults"};
    args.insert(args.end(), more.begin(), more.end());
    return RunCommand(args, captured_.environment());
  }

  void FailHost(size_t host) {
    script().result.hosts[host].status = absl::UnavailableError("connection refused");
    script().result.hosts[host].events.clear();
    script().result.hosts[host].measured_ns = 0;
  }

  bool finished() {
    absl::MutexLock lock(&script().mutex);
    return script().finished;
  }

  std::string Path(const std::string& name) {
    const std::string path = testing::TempDir() + "run_" + name;
    std::filesystem::remove(path);
    return path;
  }

  static std::string Contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  CapturedEnvironment captured_;
};

TEST_F(RunCommandTest, ADurationPrintsToTheStandardOutput) {
  EXPECT_EQ(Run({"-d", "1s"}), 0);

  EXPECT_THAT(captured_.out(), HasSubstr("page-faults"));
  EXPECT_THAT(captured_.err(), IsEmpty());
}

TEST_F(RunCommandTest, TheSpecCarriesTheOptions) {
  EXPECT_EQ(
      Run({"-d", "2s", "-C", "0-3", "-G", "/x", "-e", "b", "--label", "k=v", "--min-hosts", "2"}),
      0);

  absl::MutexLock lock(&script().mutex);
  EXPECT_THAT(script().spec.hosts, testing::ElementsAre("a", "b"));
  EXPECT_EQ(script().spec.events, "page-faults,b");
  EXPECT_EQ(script().spec.duration, absl::Seconds(2));
  EXPECT_EQ(script().spec.target.cpus(), "0-3");
  EXPECT_EQ(script().spec.target.cgroup(), "/x");
  EXPECT_EQ(script().spec.labels.at("k"), "v");
  EXPECT_EQ(script().spec.min_hosts, 2u);
}

TEST_F(RunCommandTest, ACommandsStatusIsPassedOnAndTheResultStandsBesideIt) {
  EXPECT_EQ(Run({"--", "sh", "-c", "exit 43"}), 43);

  EXPECT_THAT(captured_.out(), IsEmpty());
  EXPECT_THAT(captured_.err(), HasSubstr("page-faults"));
}

TEST_F(RunCommandTest, ACommandsStatusWinsOverAMissingHost) {
  FailHost(1);
  EXPECT_EQ(Run({"--", "sh", "-c", "exit 43"}), 43);
  EXPECT_EQ(Run({"--", "sh", "-c", "kill -11 $$"}), 139);
  EXPECT_EQ(Run({"--", "true"}), 122);
}

TEST_F(RunCommandTest, TheCommandRunsOnlyWhenEverybodyCounts) {
  const std::string path = Path("started");
  script().arm = absl::UnavailableError("only 0 of 2 hosts could be armed");
  FailHost(0);

  EXPECT_EQ(Run({"--", "touch", path}), 123);

  EXPECT_NE(access(path.c_str(), F_OK), 0) << "the command ran";
  EXPECT_THAT(captured_.err(), HasSubstr("only 0 of 2 hosts"));
  EXPECT_THAT(captured_.err(), HasSubstr("a: UNAVAILABLE: connection refused"));

  script().arm = absl::OkStatus();
  script().start = absl::UnavailableError("nobody started");
  EXPECT_EQ(Run({"--", "touch", path}), 123);
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "the command ran";
}

TEST_F(RunCommandTest, ACommandThatIsNotThereEndsTheMeasurementWithoutAResult) {
  EXPECT_EQ(Run({"--", "/nonexistent"}), 127);

  EXPECT_FALSE(finished());
  EXPECT_EQ(captured_.err(), "pmuctl: command not found: /nonexistent\n");
  EXPECT_EQ(Run({"--", "/etc/passwd"}), 126);
}

TEST_F(RunCommandTest, MissingHostsAndCountersShowInTheStatus) {
  FailHost(1);

  EXPECT_EQ(Run({"-d", "1s"}), 122);
  EXPECT_THAT(captured_.out(), HasSubstr("1 of 2 hosts measured; failed:\n  b: UNAVAILABLE"));
  EXPECT_EQ(Run({"-d", "1s", "--min-hosts", "2"}), 123);
  EXPECT_EQ(Run({"-d", "1s", "--strict"}), 123);
  FailHost(0);
  EXPECT_EQ(Run({"-d", "1s"}), 123);
}

TEST_F(RunCommandTest, StrictRefusesBeforeAnythingRuns) {
  const std::string path = Path("strict");
  script().result.hosts[1].events[0].event.set_supported(false);
  script().result.hosts[1].events[0].event.set_reason("no such event");

  EXPECT_EQ(Run({"--strict", "--", "touch", path}), 123);

  EXPECT_NE(access(path.c_str(), F_OK), 0);
  EXPECT_FALSE(finished());
  EXPECT_THAT(captured_.err(), HasSubstr("no such event"));
}

TEST_F(RunCommandTest, AFileGetsTheResultAndNothingIsPrinted) {
  const std::string path = Path("result.json");

  EXPECT_EQ(Run({"-j", "-o", path, "--", "true"}), 0);

  EXPECT_EQ(nlohmann::json::parse(Contents(path))["schema"], "pmu.run/1");
  EXPECT_THAT(captured_.out(), IsEmpty());
  EXPECT_THAT(captured_.err(), IsEmpty());
}

TEST_F(RunCommandTest, AFileThatCannotBeWrittenIsSaidBeforeMeasuring) {
  EXPECT_EQ(Run({"-d", "1s", "-o", "/nonexistent/folder/file"}), 125);

  EXPECT_FALSE(finished());
  EXPECT_THAT(captured_.err(), HasSubstr("/nonexistent/folder/file"));
}

TEST_F(RunCommandTest, OutputDashIsTheStandardOutputEvenWithACommand) {
  EXPECT_EQ(Run({"--csv", "-o", "-", "--", "true"}), 0);

  EXPECT_THAT(captured_.out(), StartsWith("row,event,"));
}

TEST_F(RunCommandTest, DryRunCountsNothing) {
  EXPECT_EQ(Run({"--dry-run"}), 0);

  EXPECT_FALSE(finished());
  EXPECT_THAT(captured_.out(), HasSubstr("the same on all 2 hosts"));
  script().result.hosts[0].events[0].event.set_supported(false);
  EXPECT_EQ(Run({"--dry-run", "-j"}), 122);
}

TEST_F(RunCommandTest, SigtermEndsTheMeasurementEarlyAndPrints) {
  // The kernel keeps it until the interrupt thread takes it.
  sigset_t term;
  sigset_t before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  kill(getpid(), SIGTERM);

  const int status = Run({});

  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(status, 128 + SIGTERM);
  EXPECT_THAT(captured_.out(), HasSubstr("then interrupted"));
}

TEST_F(RunCommandTest, ASignalSentToUsReachesTheCommand) {
  EXPECT_EQ(Run({"--", "sh", "-c", "kill -TERM $PPID; exec sleep 1000"}), 128 + SIGTERM);

  EXPECT_THAT(captured_.err(), HasSubstr("then interrupted"));
}

TEST_F(RunCommandTest, InterruptedBeforeArmingHasNoResult) {
  script().arm = absl::CancelledError("stopped");

  EXPECT_EQ(Run({"-d", "1s"}), 130);
  EXPECT_THAT(captured_.err(), HasSubstr("interrupted before anything was measured"));
}

TEST_F(RunCommandTest, MistakesAreSaidWithTheirPlaceAndNothingIsContacted) {
  captured_.environment().create_measurement = nullptr;
  EXPECT_EQ(RunCommand({"--hosts", "n[1-", "-e", "x"}, captured_.environment()), 125);
  EXPECT_EQ(RunCommand({"--hosts", "a", "-e", "x,{y"}, captured_.environment()), 125);
  EXPECT_EQ(RunCommand({"-e", "x"}, captured_.environment()), 125);
  EXPECT_EQ(RunCommand({"--nonsense"}, captured_.environment()), 125);
  EXPECT_EQ(RunCommand({"--hosts", "a", "-e", "x", "--min-hosts", "2"}, captured_.environment()),
            125);

  const std::string err = captured_.err();
  EXPECT_THAT(err, HasSubstr("\n  x,{y\n    ^\n"));
  EXPECT_THAT(err, HasSubstr("PMU_HOSTS"));
  EXPECT_THAT(err, HasSubstr("--nonsense"));
  EXPECT_THAT(err, HasSubstr("--min-hosts 2 is more than"));
}

TEST_F(RunCommandTest, HostsComeFromTheEnvironmentToo) {
  setenv("PMU_HOSTS", "x[1-2]", 1);

  RunCommand({"-e", "page-faults", "-d", "1s"}, captured_.environment());

  unsetenv("PMU_HOSTS");
  absl::MutexLock lock(&script().mutex);
  EXPECT_THAT(script().spec.hosts, testing::ElementsAre("x1", "x2"));
}

TEST_F(RunCommandTest, HostsNamedTwiceAreWarnedAbout) {
  EXPECT_EQ(
      RunCommand({"--hosts", "a,b,a", "-e", "page-faults", "-d", "1s"}, captured_.environment()),
      0);

  EXPECT_THAT(captured_.err(), HasSubstr("warning: "));
}

TEST_F(RunCommandTest, NoProgressWithoutATerminal) {
  EXPECT_EQ(Run({"-d", "1s"}), 0);
  EXPECT_THAT(captured_.err(), Not(HasSubstr("connecting")));
}

}  // namespace
}  // namespace pmu::cli
