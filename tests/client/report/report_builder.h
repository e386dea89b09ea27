// report_builder.h: Reports made by hand, for the tests of the printers.
//
// Order: the constructor, AddEvent and changes to its cells, Build.
#ifndef PMU_TESTS_CLIENT_REPORT_REPORT_BUILDER_H_
#define PMU_TESTS_CLIENT_REPORT_REPORT_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "client/aggregate.h"

namespace pmu::client {

// A counted value.
Value Counted(uint64_t count, double scale = 1, double running_share = 1);
// No number.
Value Missing(ReadingState state, std::string reason);

class ReportBuilder {
 public:
  // All hosts measured for 5 s, their starts 41 us apart.
  explicit ReportBuilder(const std::vector<std::string>& hosts);

  // A row with one count per host. The reference stays valid until the next
  // call.
  Row& AddEvent(const std::string& name, const std::vector<uint64_t>& counts,
                const std::string& unit = "", double scale = 1);

  // The host gave nothing.
  void FailHost(int host, absl::Status status);

  MeasurementResult& result() { return report_.result; }

  // Totals and spreads from the cells, as far as they have numbers.
  Report Build();

 private:
  Report report_;
};

// CPUs 0 to counts.size() - 1 of a cell.
void SetCpus(const std::vector<uint64_t>& counts, HostCell* cell);

}  // namespace pmu::client

#endif  // PMU_TESTS_CLIENT_REPORT_REPORT_BUILDER_H_
