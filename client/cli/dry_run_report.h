// dry_run_report.h: what `pmuctl run --dry-run` prints.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_CLI_DRY_RUN_REPORT_H_
#define PMU_CLIENT_CLI_DRY_RUN_REPORT_H_

#include <cstddef>
#include <string>

#include "client/result.h"

namespace pmu::cli {

// What each event became; hosts with the same answer share a line.
std::string DryRunTable(const client::MeasurementResult& result, size_t width);

// Schema "pmu.dry-run/1", docs/output.md.
std::string DryRunJson(const client::MeasurementResult& result);

// Every host answered and can count every event.
bool DryRunIsComplete(const client::MeasurementResult& result);

}  // namespace pmu::cli

#endif  // PMU_CLIENT_CLI_DRY_RUN_REPORT_H_
