#include "tests/integration/agent.h"

#include <filesystem>
#include <system_error>

#include <stdlib.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace pmu::integration {
namespace {

std::string Runfile(absl::string_view path) {
  const char* root = getenv("TEST_SRCDIR");
  return root == nullptr ? absl::StrCat("out/bin/", path) : absl::StrCat(root, "/pmu/", path);
}

std::vector<std::string> Join(std::vector<std::string> front,
                              const std::vector<std::string>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

}  // namespace

std::string PmudPath() { return Runfile("server/pmud"); }
std::string PmuctlPath() { return Runfile("client/cli/pmuctl"); }

std::unique_ptr<Agent> Agent::Start(const AgentOptions& options) {
  auto agent = std::unique_ptr<Agent>(new Agent);
  const std::string port_file = absl::StrCat(agent->scratch_.path(), "/port");
  std::vector<std::string> command =
      Join(options.wrapper, {PmudPath(), absl::StrCat("--listen=", options.listen),
                             absl::StrCat("--port-file=", port_file),
                             absl::StrCat("--state-dir=", agent->scratch_.path(), "/state")});
  agent->process_ = Process::Start(Join(command, options.options));
  const bool serving =
      WaitUntil([&] { return !ReadFile(port_file).empty() || !agent->process_->Running(); });
  if (!serving || !absl::SimpleAtoi(ReadFile(port_file), &agent->port_)) {
    ADD_FAILURE() << "pmud does not serve; its log:\n" << agent->process_->Err();
    return nullptr;
  }
  agent->address_ = options.listen.substr(0, options.listen.rfind(':'));
  return agent;
}

int Agent::OpenCounters() const {
  int count = 0;
  std::error_code error;
  const std::string folder = absl::StrCat("/proc/", process_->pid(), "/fd");
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (target.find("perf_event") != std::string::npos) ++count;
  }
  return count;
}

std::string Agent::host() const { return absl::StrCat(address_, ":", port_); }

std::string HostsOf(const std::vector<std::unique_ptr<Agent>>& agents) {
  return absl::StrJoin(agents, ",", [](std::string* out, const std::unique_ptr<Agent>& agent) {
    absl::StrAppend(out, agent->host());
  });
}

std::vector<std::unique_ptr<Agent>> StartAgents(int count) {
  std::vector<std::unique_ptr<Agent>> agents;
  for (int i = 0; i < count; ++i) {
    agents.push_back(Agent::Start());
    if (agents.back() == nullptr) return {};
  }
  return agents;
}

Finished Pmuctl(const std::vector<std::string>& arguments,
                const std::vector<std::string>& wrapper) {
  return RunProcess(Join(Join(wrapper, {PmuctlPath()}), arguments));
}

}  // namespace pmu::integration
