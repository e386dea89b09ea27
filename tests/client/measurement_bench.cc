// measurement_bench: how well hosts start together, and what a run costs.
//
// For agents on this machine, whose clocks are one: the true start skew is
// known, and compared with the one that a measurement prints.
//
//   measurement_bench RUNS MILLISECONDS EVENTS HOST...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/measurement.h"
#include "common/clock.h"

namespace pmu::client {
namespace {

struct Figures {
  std::vector<double> skew_us, error_us, true_skew_us, arm_ms, overhead_ms, clock_us, stop_us;
  int outside_bound = 0;
  int failed = 0;
};

void Print(const char* what, std::vector<double> figures) {
  if (figures.empty()) return;
  std::sort(figures.begin(), figures.end());
  auto at = [&](double share) {
    return figures[static_cast<size_t>(share * (figures.size() - 1))];
  };
  std::printf("%-28s p50 %9.1f  p90 %9.1f  p99 %9.1f  max %9.1f\n", what, at(0.5), at(0.9),
              at(0.99), figures.back());
}

double TrueSkewUs(const MeasurementResult& result, absl::optional<MappedTime> HostResult::*moment) {
  int64_t first = 0, last = 0;
  for (const HostResult& host : result.hosts) {
    if (!host.status.ok() || !(host.*moment).has_value()) continue;
    // Back on the host's own clock, which is everybody's here.
    const int64_t at = (host.*moment)->controller_ns + host.clock->offset_ns;
    first = first == 0 ? at : std::min(first, at);
    last = std::max(last, at);
  }
  return static_cast<double>(last - first) / 1e3;
}

void RunOnce(const MeasurementSpec& spec, Figures* figures) {
  const int64_t begin_ns = SystemClock().MonotonicNs();
  auto measurement = Measurement::Create(spec, {});
  if (!measurement.ok() || !(*measurement)->Arm().ok()) {
    ++figures->failed;
    return;
  }
  const int64_t armed_ns = SystemClock().MonotonicNs();
  if (!(*measurement)->Start().ok()) {
    ++figures->failed;
    return;
  }
  const MeasurementResult result = (*measurement)->Finish();
  const int64_t end_ns = SystemClock().MonotonicNs();
  for (const HostResult& host : result.hosts) {
    if (!host.status.ok()) {
      ++figures->failed;
      std::printf("%s: %s\n", host.host.c_str(), host.status.ToString().c_str());
      continue;
    }
    figures->clock_us.push_back(static_cast<double>(host.clock->error_ns) / 1e3);
  }
  if (!result.start_skew_ns.has_value()) return;
  const double skew_us = static_cast<double>(*result.start_skew_ns) / 1e3;
  const double error_us = static_cast<double>(result.start_skew_error_ns) / 1e3;
  const double true_us = TrueSkewUs(result, &HostResult::enabled);
  figures->skew_us.push_back(skew_us);
  figures->error_us.push_back(error_us);
  figures->true_skew_us.push_back(true_us);
  figures->stop_us.push_back(TrueSkewUs(result, &HostResult::disabled));
  if (std::abs(skew_us - true_us) > error_us) ++figures->outside_bound;
  figures->arm_ms.push_back(static_cast<double>(armed_ns - begin_ns) / 1e6);
  figures->overhead_ms.push_back(static_cast<double>(end_ns - begin_ns) / 1e6 -
                                 absl::ToDoubleMilliseconds(*spec.duration));
}

int Main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: measurement_bench RUNS MILLISECONDS EVENTS HOST...\n");
    return 2;
  }
  MeasurementSpec spec;
  spec.duration = absl::Milliseconds(std::atoi(argv[2]));
  spec.events = argv[3];
  spec.hosts.assign(argv + 4, argv + argc);
  Figures figures;
  for (int run = 0; run < std::atoi(argv[1]); ++run) RunOnce(spec, &figures);
  std::printf("%zu runs over %zu hosts, %d failures\n", figures.skew_us.size(), spec.hosts.size(),
              figures.failed);
  Print("start skew printed, us", figures.skew_us);
  Print("  its bound, us", figures.error_us);
  Print("start skew true, us", figures.true_skew_us);
  Print("stop skew true, us", figures.stop_us);
  Print("clock error bound, us", figures.clock_us);
  Print("connect and arm, ms", figures.arm_ms);
  Print("time beyond the run, ms", figures.overhead_ms);
  std::printf("true skew outside the printed bound: %d runs\n", figures.outside_bound);
  return figures.failed == 0 && figures.outside_bound == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pmu::client

int main(int argc, char** argv) { return pmu::client::Main(argc, argv); }
