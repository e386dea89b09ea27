// pmud: the agent. Only wiring here.
#include <stdio.h>
#include <string.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "common/standard_streams.h"
#include "common/version.h"
#include "server/agent.h"
#include "server/backends/perf_event/perf_event_backend.h"
#include "server/descriptor_limit.h"
#include "server/grpc_log.h"
#include "server/log.h"
#include "server/pmud_options.h"
#include "server/random_id.h"
#include "server/register_hardware.h"
#include "server/service/rpc_server.h"
#include "server/state_dir.h"
#include "server/stop_signals.h"

namespace pmu::server {
namespace {

constexpr int kUsageError = 2;

// In the order in which they are asked about an event.
absl::StatusOr<std::vector<std::unique_ptr<CounterBackend>>> MakeBackends(
    const PmudOptions& options, RegisterHardware& hardware) {
  std::vector<std::unique_ptr<CounterBackend>> backends;
  PerfEventOptions perf_event;
  perf_event.root = options.sysfs_root;
  absl::StatusOr<std::unique_ptr<PerfEventBackend>> kernel = PerfEventBackend::Create(perf_event);
  if (!kernel.ok()) return kernel.status();
  backends.push_back(*std::move(kernel));
  hardware.MakeBackends(&backends);
  return backends;
}

// What is wrong with what was found.
void LogBackends(const std::vector<std::unique_ptr<CounterBackend>>& backends) {
  for (const auto& backend : backends) {
    const BackendInfo info = backend->Describe();
    if (!info.availability.ok()) {
      Log(LogLevel::kInfo, absl::StrCat("backend ", info.name, " is not available: ",
                                        std::string(info.availability.message())));
    }
    for (const PmuInfo& pmu : info.pmus) {
      if (pmu.health != PmuHealth::kImplausible) continue;
      Log(LogLevel::kWarning, absl::StrCat(info.name, " PMU ", pmu.name, ": ", pmu.note));
    }
  }
}

absl::StatusOr<std::unique_ptr<Agent>> MakeAgent(const PmudOptions& options,
                                                 const std::string& instance,
                                                 RegisterHardware& hardware) {
  const absl::StatusOr<int> descriptors = RaiseDescriptorLimit();
  if (!descriptors.ok()) return descriptors.status();
  AgentOptions agent_options;
  agent_options.sysfs_root = options.sysfs_root;
  agent_options.instance = instance;
  agent_options.sampler_rank = options.sampler_rank;
  agent_options.limits.max_descriptors = *descriptors;
  agent_options.freeze_on_smi = [&hardware] { return hardware.HoldFreezeOnSmi(); };
  auto backends = MakeBackends(options, hardware);
  if (!backends.ok()) return backends.status();
  LogBackends(*backends);
  return Agent::Create(agent_options, *std::move(backends));
}

absl::Status Serve(const PmudOptions& options) {
  const std::string instance = RandomHex();
  const absl::StatusOr<StateDir> state_dir = StateDir::Open(options.state_dir, instance);
  if (!state_dir.ok()) return state_dir.status();
  RegisterHardwareOptions register_options = options.registers;
  register_options.root = options.sysfs_root;
  register_options.state_dir = state_dir->path();
  const absl::StatusOr<std::unique_ptr<RegisterHardware>> hardware =
      RegisterHardware::Create(register_options);
  if (!hardware.ok()) return hardware.status();
  absl::StatusOr<std::unique_ptr<Agent>> agent = MakeAgent(options, instance, **hardware);
  if (!agent.ok()) return agent.status();
  absl::StatusOr<std::unique_ptr<RpcServer>> server =
      RpcServer::Start(agent->get(), options.listen, options.insecure);
  if (!server.ok()) return server.status();
  Log(LogLevel::kInfo,
      absl::StrCat("pmud ", kVersion, " serves on ", absl::StrJoin((*server)->addresses(), ", ")));
  if (!options.port_file.empty()) {
    absl::Status written =
        WriteFileAtomically(options.port_file, absl::StrCat((*server)->port(), "\n"));
    if (!written.ok()) return written;
  }
  const int signal = WaitForStopSignal();
  Log(LogLevel::kInfo, absl::StrCat("got SIG", sigabbrev_np(signal), ": ending"));
  (*server)->Shutdown();
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& args) {
  const absl::StatusOr<PmudOptions> options = ParsePmudOptions(args);
  if (!options.ok()) {
    const std::string message(options.status().message());
    fprintf(stderr, "pmud: %s\nTry pmud --help.\n", message.c_str());
    return kUsageError;
  }
  if (options->help) {
    fputs(PmudHelp().c_str(), stdout);
    return EXIT_SUCCESS;
  }
  if (options->version) {
    printf("pmud %s\n", kVersion);
    return EXIT_SUCCESS;
  }
  SetLogLevel(options->log_level);
  TakeOverGrpcLog();
  BlockStopSignals();
  const absl::Status status = Serve(*options);
  if (status.ok()) return EXIT_SUCCESS;
  Log(LogLevel::kError, std::string(status.message()));
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace pmu::server

int main(int argc, char** argv) {
  pmu::ReserveStandardStreams();
  // Debian's Abseil looks for deadlocks at every lock; the tests' sanitizers do so
  // for us.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return pmu::server::Main(std::vector<std::string>(argv + 1, argv + argc));
}
