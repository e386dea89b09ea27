// The real binary: start, signals, exit status.
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/process.h"

namespace pmu::server {
namespace {

using integration::Finished;
using integration::Process;
using ::testing::HasSubstr;

class PmudTest : public ::testing::Test {
 protected:
  std::vector<std::string> Command(const std::vector<std::string>& options) const {
    std::vector<std::string> command = {"server/pmud"};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }

  // Serving on a free port, with the state directory `name`.
  std::unique_ptr<Process> Serve(const std::string& name) {
    const std::string port_file = absl::StrCat(scratch_.path(), "/", name, ".port");
    std::unique_ptr<Process> agent =
        Process::Start(Command({"--listen=127.0.0.1:0", absl::StrCat("--port-file=", port_file),
                                absl::StrCat("--state-dir=", scratch_.path(), "/", name)}));
    EXPECT_TRUE(integration::WaitUntil(
        [&] { return !integration::ReadFile(port_file).empty() || !agent->Running(); }));
    port_ = integration::ReadFile(port_file);
    port_ = port_.substr(0, port_.find('\n'));
    EXPECT_NE(port_, "") << agent->Err();
    return agent;
  }

  const integration::ScratchDirectory scratch_;
  std::string port_;
};

TEST_F(PmudTest, EndsWithStatus0OnSigtermAndSigint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::unique_ptr<Process> agent = Serve(absl::StrCat("s", signal));

    agent->Signal(signal);
    const Finished finished = agent->Wait(absl::Seconds(10));

    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("serves on 127.0.0.1:" + port_));
    EXPECT_THAT(finished.err, HasSubstr(signal == SIGTERM ? "got SIGTERM" : "got SIGINT"));
  }
}

TEST_F(PmudTest, SighupAndSigpipeDoNotEndIt) {
  const std::unique_ptr<Process> agent = Serve("s");

  agent->Signal(SIGHUP);
  agent->Signal(SIGPIPE);
  agent->Signal(SIGTERM);

  EXPECT_EQ(agent->Wait(absl::Seconds(10)).status, 0);
}

TEST_F(PmudTest, ASecondAgentOnThePortIsAnError) {
  const std::unique_ptr<Process> agent = Serve("first");
  for (const char* host : {"127.0.0.1:", "0.0.0.0:"}) {
    const Finished second = integration::RunProcess(
        Command({absl::StrCat("--listen=", host, port_), "--insecure",
                 absl::StrCat("--state-dir=", scratch_.path(), "/second")}));

    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.err, HasSubstr("is in use"));
    EXPECT_THAT(second.err, HasSubstr(port_));
  }
  EXPECT_TRUE(agent->Running());
}

TEST_F(PmudTest, ASecondAgentInTheStateDirectoryIsAnError) {
  const std::unique_ptr<Process> agent = Serve("same");

  const Finished second = integration::RunProcess(
      Command({"--listen=127.0.0.1:0", absl::StrCat("--state-dir=", scratch_.path(), "/same")}));

  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.err, HasSubstr("another agent uses"));
}

TEST_F(PmudTest, UsageErrorsHaveAStatusOfTheirOwn) {
  EXPECT_EQ(integration::RunProcess(Command({"--no-such-option"})).status, 2);
  EXPECT_EQ(integration::RunProcess(Command({"--listen=a:b"})).status, 2);
  EXPECT_EQ(integration::RunProcess(Command({"--help"})).status, 0);
  EXPECT_THAT(integration::RunProcess(Command({"--version"})).out, HasSubstr("pmud "));
}

TEST_F(PmudTest, AnAddressOthersReachNeedsInsecure) {
  const Finished finished = integration::RunProcess(
      Command({"--listen=0.0.0.0:0", absl::StrCat("--state-dir=", scratch_.path(), "/s")}));

  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("--insecure"));
}

}  // namespace
}  // namespace pmu::server
