// agent.h: real pmud processes for integration tests.
//
// Thread-compatible.
#ifndef PMU_TESTS_INTEGRATION_AGENT_H_
#define PMU_TESTS_INTEGRATION_AGENT_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/process.h"

namespace pmu::integration {

// The built binaries, in the runfiles of the test.
std::string PmudPath();
std::string PmuctlPath();

struct AgentOptions {
  // Put before the command: {"ip", "netns", "exec", "a"}.
  std::vector<std::string> wrapper;
  std::string listen = "127.0.0.1:0";
  // Further options of pmud.
  std::vector<std::string> options;
};

// One running agent, stopped when destroyed.
class Agent {
 public:
  // Returns when the agent serves; nullptr (and a test failure) otherwise.
  static std::unique_ptr<Agent> Start(const AgentOptions& options = {});

  int port() const { return port_; }
  // "127.0.0.1:PORT", for --hosts.
  std::string host() const;
  Process& process() { return *process_; }
  // Descriptors of perf_event_open(2) that it holds now.
  int OpenCounters() const;

 private:
  Agent() = default;

  ScratchDirectory scratch_;
  std::string address_;
  int port_ = 0;
  std::unique_ptr<Process> process_;
};

// "a:1,b:2": the hosts of several agents.
std::string HostsOf(const std::vector<std::unique_ptr<Agent>>& agents);

// `count` agents on loopback; empty (and a test failure) if one does not start.
std::vector<std::unique_ptr<Agent>> StartAgents(int count);

// Runs pmuctl with `arguments`.
Finished Pmuctl(const std::vector<std::string>& arguments,
                const std::vector<std::string>& wrapper = {});

}  // namespace pmu::integration

#endif  // PMU_TESTS_INTEGRATION_AGENT_H_
