// One process that serves as many agents as asked for: the real service and
// sessions, on counters without hardware.
//
//   many_agents FIRST_PORT COUNT    prints "ready"; ends with its standard input
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/agent.h"
#include "server/listen_address.h"
#include "server/log.h"
#include "server/service/rpc_server.h"
#include "tests/fakes/fake_backend.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int first = std::atoi(argv[1]);
  const int count = std::atoi(argv[2]);
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  pmu::server::SetLogLevel(pmu::server::LogLevel::kError);

  auto backend = std::make_unique<pmu::server::FakeBackend>();
  for (const char* event : {"task-clock", "page-faults"}) backend->AddEvent(event);
  std::vector<std::unique_ptr<pmu::server::CounterBackend>> backends;
  backends.push_back(std::move(backend));
  pmu::server::AgentOptions options;
  options.instance = "many";
  options.limits.max_sessions = 2 * count;
  options.limits.max_ended_sessions = 2 * static_cast<size_t>(count);
  options.limits.max_descriptors = 100 * count;
  const auto agent = pmu::server::Agent::Create(options, std::move(backends)).value();
  std::vector<pmu::server::ListenAddress> addresses;
  for (int i = 0; i < count; ++i) {
    addresses.push_back(
        pmu::server::ParseListenAddress(absl::StrCat("127.0.0.1:", first + i)).value());
  }
  auto server = pmu::server::RpcServer::Start(agent.get(), addresses, false);
  if (!server.ok()) {
    std::fprintf(stderr, "many_agents: %s\n", std::string(server.status().message()).c_str());
    return 1;
  }
  std::puts("ready");
  std::fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}
