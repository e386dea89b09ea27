// fleet.h: questions to many hosts at once.
//
// Each call asks all hosts with bounded concurrency and a deadline per host,
// and returns one answer per host in the order given: a host that fails is an
// answer with a status, never a missing entry. Calls block the caller; they
// are thread-safe (each has its own event loop).
#ifndef PMU_CLIENT_FLEET_H_
#define PMU_CLIENT_FLEET_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/clock_sync.h"
#include "proto/pmu/v1/counter.pb.h"
#include "proto/pmu/v1/host.pb.h"
#include "proto/pmu/v1/session.pb.h"

namespace pmu::client {

struct FleetOptions {
  // For connecting, and for each RPC to a host after that.
  absl::Duration timeout = absl::Seconds(5);
  // Hosts with a call under way at one time.
  size_t max_in_flight = 512;
  // At most this many exchanges per host to estimate its clock; the fastest is
  // kept, and fewer do when it is no longer beaten.
  int clock_probes = 12;
  // Obey http_proxy and its kin. Off: lab hosts are reached directly.
  bool use_proxy = false;
};

// What `pmuctl hosts` shows.
struct HostAnswer {
  std::string host;
  absl::Status status;
  pmu::v1::Host identity;             // when status is OK
  absl::optional<ClockOffset> clock;  // when status is OK
  absl::Duration round_trip;          // of the fastest exchange
};

std::vector<HostAnswer> QueryHosts(const std::vector<std::string>& hosts,
                                   const FleetOptions& options);

// What `pmuctl list` shows.
struct CounterListing {
  std::string host;
  absl::Status status;
  std::vector<pmu::v1::Counter> counters;  // all pages
};

std::vector<CounterListing> ListCounters(const std::vector<std::string>& hosts,
                                         const std::string& filter, bool available_only,
                                         const FleetOptions& options);

// What `pmuctl sessions` shows.
struct SessionListing {
  std::string host;
  absl::Status status;
  std::vector<pmu::v1::Session> sessions;  // ended ones for a minute
};

// Of one client (SessionSpec.client_id), or of all when `client_id` is empty.
std::vector<SessionListing> ListSessions(const std::vector<std::string>& hosts,
                                         const std::string& client_id, const FleetOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_FLEET_H_
