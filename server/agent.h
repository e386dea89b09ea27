// agent.h: everything that serves, but for the wire.
//
// Owns the backends, the scheduler, the sessions and the catalogue of
// counters. The RPC edge (service/) sees only this.
//
// Thread-safe. Order: Create, serve, Shutdown, destroy.
#ifndef PMU_SERVER_AGENT_H_
#define PMU_SERVER_AGENT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "proto/pmu/v1/host.pb.h"
#include "server/backends/counter_backend.h"
#include "server/counter_catalog.h"
#include "server/limits.h"
#include "server/session_manager.h"
#include "server/thread_rank.h"
#include "server/thread_sampler.h"
#include "server/thread_scheduler.h"

namespace pmu::server {

struct AgentOptions {
  std::string sysfs_root;  // "" is the live machine
  std::string instance;    // random, of this start of the agent
  Limits limits;
  SessionManager::FreezeOnSmiFunction freeze_on_smi;  // may be empty
  ThreadRank sampler_rank;
};

class Agent {
 public:
  // The first backend that knows an event gets it. Errors: those of
  // ThreadScheduler and ThreadSampler.
  static absl::StatusOr<std::unique_ptr<Agent>> Create(
      const AgentOptions& options, std::vector<std::unique_ptr<CounterBackend>> backends);
  ~Agent();

  SessionManager& sessions() { return *sessions_; }
  CounterCatalog& catalog() { return *catalog_; }
  const Clock& clock() const { return SystemClock(); }
  void FillHost(pmu::v1::Host* out) const;

  // Ends all sessions and the scheduler: no callback runs afterwards. Idempotent.
  void Shutdown();

 private:
  Agent(AgentOptions options, std::vector<std::unique_ptr<CounterBackend>> backends,
        std::unique_ptr<ThreadScheduler> scheduler, std::unique_ptr<ThreadSampler> sampler);

  const AgentOptions options_;
  // In the order in which they may be destroyed, last first.
  const std::vector<std::unique_ptr<CounterBackend>> backends_;
  std::vector<CounterBackend*> backend_pointers_;
  std::unique_ptr<ThreadScheduler> scheduler_;
  std::unique_ptr<ThreadSampler> sampler_;
  std::unique_ptr<SessionManager> sessions_;
  std::unique_ptr<CounterCatalog> catalog_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_AGENT_H_
