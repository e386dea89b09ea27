// hosts_report.h: what `pmuctl hosts` prints.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_CLI_HOSTS_REPORT_H_
#define PMU_CLIENT_CLI_HOSTS_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "client/fleet.h"

namespace pmu::cli {

std::string HostsTable(const std::vector<client::HostAnswer>& answers, size_t width);

// Schema "pmu.hosts/1", docs/output.md.
std::string HostsJson(const std::vector<client::HostAnswer>& answers);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_HOSTS_REPORT_H_
