// list_report.h: what `pmuctl list` prints.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_CLI_LIST_REPORT_H_
#define PMU_CLIENT_CLI_LIST_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "client/fleet.h"

namespace pmu::cli {

// A line for each counter; counters that are the same on all hosts that
// answered appear once. Lines are cut at `width`, if given.
std::string ListTable(const std::vector<client::CounterListing>& listings,
                      absl::optional<size_t> width);

// Schema "pmu.list/1", docs/output.md.
std::string ListJson(const std::vector<client::CounterListing>& listings);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_LIST_REPORT_H_
