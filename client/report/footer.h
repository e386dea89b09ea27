// footer.h: what stands below a result table: time, skew, failures, warnings.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_FOOTER_H_
#define PMU_CLIENT_REPORT_FOOTER_H_

#include <cstddef>
#include <string>

#include "client/aggregate.h"

namespace pmu::client {

std::string FooterText(const Report& report, size_t width);

// "HOSTS: STATUS" a line for hosts whose status is not OK, equal ones folded;
// shared by every listing over hosts. `failed` holds host and status.
struct FailedHost {
  std::string host;
  absl::Status status;
};
std::string FailedHostsText(const std::vector<FailedHost>& failed, size_t width);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_FOOTER_H_
