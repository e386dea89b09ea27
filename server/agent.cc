#include "server/agent.h"

#include <utility>

#include "server/host_info.h"

namespace pmu::server {

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(
    const AgentOptions& options, std::vector<std::unique_ptr<CounterBackend>> backends) {
  absl::StatusOr<std::unique_ptr<ThreadScheduler>> scheduler = ThreadScheduler::Create();
  if (!scheduler.ok()) return scheduler.status();
  absl::StatusOr<std::unique_ptr<ThreadSampler>> sampler =
      ThreadSampler::Create(options.sampler_rank);
  if (!sampler.ok()) return sampler.status();
  return std::unique_ptr<Agent>(
      new Agent(options, std::move(backends), *std::move(scheduler), *std::move(sampler)));
}

Agent::Agent(AgentOptions options, std::vector<std::unique_ptr<CounterBackend>> backends,
             std::unique_ptr<ThreadScheduler> scheduler, std::unique_ptr<ThreadSampler> sampler)
    : options_(std::move(options)),
      backends_(std::move(backends)),
      scheduler_(std::move(scheduler)),
      sampler_(std::move(sampler)) {
  for (const auto& backend : backends_) backend_pointers_.push_back(backend.get());
  sessions_ = std::make_unique<SessionManager>(backend_pointers_, options_.limits, scheduler_.get(),
                                               &clock());
  sessions_->SetSampler(sampler_.get());
  sessions_->SetFreezeOnSmi(options_.freeze_on_smi);
  catalog_ = std::make_unique<CounterCatalog>(backend_pointers_, &clock(), options_.instance);
}

Agent::~Agent() { Shutdown(); }

void Agent::Shutdown() {
  sessions_->Shutdown();
  sampler_->Stop();
  scheduler_->Stop();
}

void Agent::FillHost(pmu::v1::Host* out) const {
  pmu::server::FillHost(
      {options_.sysfs_root, options_.instance, backend_pointers_, options_.limits, &clock()}, out);
}

}  // namespace pmu::server
