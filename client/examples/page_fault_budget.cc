// page_fault_budget: a test that fails a build when a program takes more page
// faults than it used to.
//
// Measures itself through the agent of this machine while it does its work, and
// compares with a budget. Exit status: 0 within the budget, 1 above it, 2 not
// measured. docs/client_library.md walks through it.
//
//   pmud &
//   page_fault_budget 127.0.0.1:50051 5000
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/aggregate.h"
#include "client/measurement.h"

namespace {

// What is watched: touches 16 MiB, that is 4096 pages of 4 KiB.
void DoWork() {
  std::vector<char> memory(16 << 20, 1);
  volatile char sink = memory[memory.size() / 2];
  (void)sink;
}

// The report of one run of DoWork.
absl::StatusOr<pmu::client::Report> MeasureWork(const std::string& host) {
  pmu::client::MeasurementSpec spec;
  spec.hosts = {host};
  spec.events = "page-faults,task-clock";
  spec.target.set_pid(getpid());

  auto measurement = pmu::client::Measurement::Create(spec, {});
  if (!measurement.ok()) return measurement.status();
  if (absl::Status armed = (*measurement)->Arm(); !armed.ok()) {
    // The summary counts hosts; each host says why.
    return absl::Status(
        armed.code(),
        absl::StrCat(armed.message(), "; ", (*measurement)->result().hosts[0].status.message()));
  }
  if (absl::Status started = (*measurement)->Start(); !started.ok()) return started;

  // Start has returned, so the counters count. Finish drives the measurement in
  // this thread until the work, in its own, says that it is done.
  std::thread work([&] {
    DoWork();
    (*measurement)->RequestStop(/*interrupted=*/false);
  });
  pmu::client::MeasurementResult result = (*measurement)->Finish();
  work.join();
  return pmu::client::Aggregate(std::move(result));
}

int Check(const std::string& host, uint64_t budget) {
  absl::StatusOr<pmu::client::Report> report = MeasureWork(host);
  if (!report.ok()) {
    std::fprintf(stderr, "not measured: %s\n", report.status().ToString().c_str());
    return 2;
  }
  const pmu::client::Value& faults = report->rows[0].total;
  // A number with a part missing must not pass for a good one.
  if (!report->complete || !faults.count.has_value()) {
    std::fprintf(stderr, "not measured: %s\n", faults.reason.c_str());
    return 2;
  }
  const uint64_t count = absl::Uint128Low64(*faults.count);
  std::printf("%llu page faults, budget %llu\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(budget));
  return count <= budget ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t budget = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &budget)) {
    std::fprintf(stderr, "usage: page_fault_budget HOST MAX-FAULTS\n");
    return 2;
  }
  return Check(argv[1], budget);
}
