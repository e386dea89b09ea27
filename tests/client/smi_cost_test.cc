#include "client/smi_cost.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One host that counted this much on two CPUs within a second.
Report ReportOf(double aperf_per_cpu, double nominal_hz) {
  Report report;
  report.result.requested_events = {"msr/aperf/"};
  report.result.hosts.resize(1);
  report.result.hosts[0].measured_ns = 1'000'000'000;
  report.result.hosts[0].identity.emplace();
  if (nominal_hz > 0) {
    pmu::v1::BackendFact* fact = report.result.hosts[0].identity->add_backends()->add_facts();
    fact->set_name("nominal-frequency");
    fact->set_number(nominal_hz);
  }
  Row row;
  HostCell cell;
  for (int cpu = 0; cpu < 2; ++cpu) {
    PerCpuValue value;
    value.cpu = cpu;
    value.value.value = aperf_per_cpu;
    cell.cpus.push_back(value);
  }
  row.cells.push_back(cell);
  report.rows.push_back(row);
  return report;
}

TEST(SmiCostTest, CpusThatWereMostlyIdleAreTold) {
  Report report = ReportOf(0.4e9, 2e9);
  NoteIdleCpus(&report);
  EXPECT_THAT(report.result.hosts[0].notes, ElementsAre(HasSubstr("ran 20% of it")));
}

TEST(SmiCostTest, BusyCpusAreNot) {
  Report report = ReportOf(1.9e9, 2e9);
  NoteIdleCpus(&report);
  EXPECT_THAT(report.result.hosts[0].notes, IsEmpty());
}

TEST(SmiCostTest, WithoutANominalFrequencyTheSlowestCpuIsTheMeasure) {
  Report busy = ReportOf(0.6e9, 0);
  NoteIdleCpus(&busy);
  EXPECT_THAT(busy.result.hosts[0].notes, IsEmpty());
  Report idle = ReportOf(0.1e9, 0);
  NoteIdleCpus(&idle);
  EXPECT_THAT(idle.result.hosts[0].notes, ElementsAre(HasSubstr("ran 10% of it")));
}

}  // namespace
}  // namespace pmu::client
