// sessions_report.h: the sessions of agents, as a table and as JSON.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_CLI_SESSIONS_REPORT_H_
#define PMU_CLIENT_CLI_SESSIONS_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "client/fleet.h"

namespace pmu::cli {

std::string SessionsTable(const std::vector<client::SessionListing>& listings, size_t width);

// See "pmu.sessions/1" in docs/output.md.
std::string SessionsJson(const std::vector<client::SessionListing>& listings);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_SESSIONS_REPORT_H_
