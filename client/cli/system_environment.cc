#include "client/cli/environment.h"

namespace pmu::cli {

Environment SystemEnvironment() {
  Environment environment;
  environment.create_measurement = client::Measurement::Create;
  environment.query_hosts = client::QueryHosts;
  environment.list_counters = client::ListCounters;
  environment.list_sessions = client::ListSessions;
  return environment;
}

}  // namespace pmu::cli
