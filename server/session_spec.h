// session_spec.h: what a client asks to be counted, checked.
//
// Plain data. See messages SessionSpec and StartSessionRequest of
// proto/pmu/v1; spec_check.h makes it of them.
#ifndef PMU_SERVER_SESSION_SPEC_H_
#define PMU_SERVER_SESSION_SPEC_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/event_spec.h"
#include "server/backends/counter_backend.h"
#include "server/limits.h"

namespace pmu::server {

struct SessionSpec {
  std::string events_text;
  std::vector<EventSpec> events;  // events_text, parsed
  CounterTarget target;
  int64_t lease_ns = kDefaultLeaseNs;
  std::string client_id;
  std::map<std::string, std::string> labels;
  bool freeze_on_smi = false;
  uint64_t cycle_limit = 0;   // 0: none
  int64_t interval_ns = 0;    // 0: no interval samples
  uint32_t ring_samples = 0;  // 0: the agent's choice
};

struct StartRequest {
  SessionSpec spec;
  std::string idempotency_key;
  bool dry_run = false;
  bool start_now = false;
  // Where the call came from, for the log: "ipv4:10.0.0.9:40122".
  std::string peer;
};

// Whether two clients' requests ask for the same thing.
bool SameRequest(const SessionSpec& a, const SessionSpec& b);

// "pid 4711", "cgroup "web" on CPUs 0-3", "all CPUs": for the log.
std::string TargetText(const CounterTarget& target);

}  // namespace pmu::server

#endif  // PMU_SERVER_SESSION_SPEC_H_
