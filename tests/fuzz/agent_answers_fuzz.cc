// What agents answer is not believed: any bytes must give results, tables, CSV
// and JSON, or an error. The input is a series of messages, each after two
// bytes of length: a StartSessionResponse, then IntervalSamples of two hosts.
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "client/aggregate.h"
#include "client/intervals.h"
#include "client/report/csv.h"
#include "client/report/interval_table.h"
#include "client/report/json.h"
#include "client/report/table.h"
#include "client/session_answers.h"
#include "nlohmann/json.hpp"
#include "proto/pmu/v1/service.pb.h"

namespace {

using pmu::client::HostResult;
using pmu::client::Report;

constexpr int64_t kIntervalNs = 100'000'000;
constexpr uint64_t kMost = 40;
constexpr size_t kMostMessages = 16;

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

absl::optional<absl::string_view> NextMessage(absl::string_view* rest) {
  if (rest->size() < 2) return absl::nullopt;
  const size_t length = static_cast<uint8_t>((*rest)[0]) * 256u + static_cast<uint8_t>((*rest)[1]);
  const absl::string_view message = rest->substr(2, length);
  rest->remove_prefix(2 + message.size());
  return message;
}

template <class Message>
bool Parse(const absl::string_view bytes, Message* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void PrintAll(const Report& report) {
  Require(!pmu::client::PrintTable(report, {}).empty());
  Require(nlohmann::json::accept(pmu::client::PrintJson(report, {})));
  pmu::client::PrintCsv(report, {});
}

void TakeSamples(const HostResult& host, const std::vector<pmu::v1::CounterSlot>& slots,
                 absl::string_view rest) {
  pmu::client::MeasurementResult result;
  result.requested_events = {"cycles"};
  result.hosts = {host, host};
  result.hosts[1].host = "n2";
  std::vector<pmu::client::HostSeries> series(2, {host, slots, kIntervalNs});
  pmu::client::IntervalTable table({"n1", "n2"}, 80);
  uint64_t told = 0;
  pmu::client::IntervalAssembler assembler(
      &result, kIntervalNs, [&](const pmu::client::Interval& interval) {
        Require(++told <= kMost + kMostMessages);
        const Report report = pmu::client::Aggregate(interval.result);
        Require(nlohmann::json::accept(pmu::client::PrintIntervalJson(interval, report)));
        table.Lines(interval, report);
      });
  size_t count = 0;
  while (const auto message = NextMessage(&rest)) {
    pmu::v1::IntervalSample sample;
    if (++count > kMostMessages || !Parse(*message, &sample)) break;
    const size_t at = count % 2;
    auto step = series[at].Take(sample, kMost);
    if (step.ok()) assembler.Add(at, *std::move(step));
    if (pmu::client::TakeReadings(slots, sample.sample(), &result.hosts[at]).ok()) {
      result.hosts[at].measured_ns = kIntervalNs;
    }
  }
  assembler.Finish();
  PrintAll(pmu::client::Aggregate(result));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto first = NextMessage(&rest);
  pmu::v1::StartSessionResponse answer;
  if (!first.has_value() || !Parse(*first, &answer)) return 0;
  HostResult host;
  host.host = "n1";
  if (!pmu::client::TakeEvents(answer, &host).ok()) return 0;
  TakeSamples(host, {answer.slots().begin(), answer.slots().end()}, rest);
  return 0;
}
