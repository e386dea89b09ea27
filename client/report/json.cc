#include "client/report/json.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/report/cell_state.h"
#include "client/report/json_parts.h"

namespace pmu::client {
namespace {

Json MappedTimeJson(const absl::optional<MappedTime>& time) {
  if (!time) return nullptr;
  return {{"controller_ns", JsonInteger(time->controller_ns)},
          {"error_ns", JsonInteger(time->error_ns)}};
}

// Cycles of the time stamp counter; 0: not known.
Json TscJson(uint64_t cycles) { return cycles == 0 ? Json(nullptr) : JsonInteger(cycles); }

Json ReadingJson(const CounterReading& reading) {
  Value state;
  state.state = reading.reading.state;
  return {{"cpu", reading.cpu < 0 ? Json(nullptr) : Json(reading.cpu)},
          {"tid", reading.tid == 0 ? Json(nullptr) : Json(reading.tid)},
          {"state", CellStateToken(StatusOf(state).state)},
          {"raw_count", JsonInteger(reading.reading.raw_count)},
          {"enabled_ns", JsonInteger(reading.reading.enabled_ns)},
          {"running_ns", JsonInteger(reading.reading.running_ns)},
          {"tsc_cycles", TscJson(reading.reading.tsc_cycles)},
          {"error", reading.error}};
}

Json HostJson(const HostResult& host) {
  Json counters = Json::array();
  for (const EventResult& event : host.events) {
    Json counter = JsonResolvedEvent(event.event);
    Json readings = Json::array();
    for (const CounterReading& reading : event.readings) readings.push_back(ReadingJson(reading));
    counter["readings"] = std::move(readings);
    counters.push_back(std::move(counter));
  }
  return {{"host", host.host},
          {"status", JsonStatus(host.status)},
          {"identity", host.identity ? JsonIdentity(*host.identity) : Json(nullptr)},
          {"clock", JsonClock(host.clock)},
          {"enabled", MappedTimeJson(host.enabled)},
          {"disabled", MappedTimeJson(host.disabled)},
          {"enable_took_ns", JsonInteger(host.enable_took_ns)},
          {"measured_ns", JsonInteger(host.measured_ns)},
          {"notes", Json(host.notes)},
          {"counters", std::move(counters)}};
}

void AddValue(const CellStatus& status, const Value& value, Json* json) {
  const bool has_number = value.value.has_value();
  (*json)["state"] = CellStateToken(status.state);
  (*json)["reason"] = status.reason;
  (*json)["count"] = value.count ? Json(absl::StrFormat("%d", *value.count)) : Json(nullptr);
  (*json)["value"] = JsonDouble(value.value);
  (*json)["rate_per_s"] = JsonDouble(value.rate_per_s);
  (*json)["running_share"] = has_number ? JsonDouble(value.running_share) : Json(nullptr);
  (*json)["contributing"] = value.contributing;
  (*json)["expected"] = value.expected;
}

Json CpuJson(const PerCpuValue& cpu) {
  Json json = {{"cpu", cpu.cpu < 0 ? Json(nullptr) : Json(cpu.cpu)},
               {"tid", cpu.tid == 0 ? Json(nullptr) : Json(cpu.tid)}};
  AddValue(StatusOf(cpu.value), cpu.value, &json);
  json["raw_count"] = JsonInteger(cpu.raw_count);
  json["enabled_ns"] = JsonInteger(cpu.enabled_ns);
  json["running_ns"] = JsonInteger(cpu.running_ns);
  json["tsc_cycles"] = TscJson(cpu.tsc_cycles);
  return json;
}

Json CellJson(const Report& report, const Row& row, const HostCell& cell) {
  Json json = {{"host", report.result.hosts[cell.host].host}};
  AddValue(StatusOf(report, row, cell), cell.total, &json);
  json["warnings"] = Json(cell.warnings);
  Json cpus = Json::array();
  for (const PerCpuValue& cpu : cell.cpus) cpus.push_back(CpuJson(cpu));
  json["cpus"] = std::move(cpus);
  return json;
}

Json SpreadJson(const Statistics& spread) {
  const bool any = spread.count() > 0;
  return {{"count", spread.count()},
          {"mean", any ? JsonDouble(spread.mean()) : Json(nullptr)},
          {"min", any ? JsonDouble(spread.min()) : Json(nullptr)},
          {"max", any ? JsonDouble(spread.max()) : Json(nullptr)},
          {"stddev", spread.count() > 1 ? JsonDouble(spread.stddev()) : Json(nullptr)}};
}

Json RowJson(const Report& report, const Row& row) {
  const auto& requested = report.result.requested_events;
  const bool known = static_cast<size_t>(row.requested_index) < requested.size();
  Json hosts = Json::array();
  for (const HostCell& cell : row.cells) hosts.push_back(CellJson(report, row, cell));
  Json total = Json::object();
  AddValue(StatusOfTotal(row), row.total, &total);
  total["contributing_hosts"] = row.contributing_hosts;
  total["expected_hosts"] = row.expected_hosts;
  return {{"event", known ? requested[row.requested_index] : row.label},
          {"requested_index", row.requested_index},
          {"label", row.label},
          {"pmu", row.pmu},
          {"unit", row.unit},
          {"scale", JsonDouble(row.scale)},
          {"summable", row.summable},
          {"simulated", row.simulated},
          {"is_sum", row.is_sum},
          {"total", std::move(total)},
          {"spread", SpreadJson(row.spread)},
          {"hosts", std::move(hosts)}};
}

void AddMetricValue(const MetricValue& metric, Json* json) {
  (*json)["value"] = JsonDouble(metric.number);
  (*json)["reason"] = metric.reason;
}

Json MetricJson(const Report& report, const MetricRow& row) {
  Json hosts = Json::array();
  for (size_t i = 0; i < row.cells.size(); ++i) {
    Json host = {{"host", report.result.hosts[i].host}};
    AddMetricValue(row.cells[i].metric, &host);
    Json cpus = Json::array();
    for (const MetricCpuValue& value : row.cells[i].cpus) {
      Json cpu = {{"cpu", value.cpu}};
      AddMetricValue(value.metric, &cpu);
      cpus.push_back(std::move(cpu));
    }
    host["cpus"] = std::move(cpus);
    hosts.push_back(std::move(host));
  }
  return {{"metric", row.name},
          {"unit", row.unit},
          {"formula", row.formula},
          {"simulated", row.simulated},
          {"per", row.scope == MetricExpr::Scope::kPerCpu ? "cpu" : "host"},
          {"contributing_hosts", row.contributing_hosts},
          {"spread", SpreadJson(row.spread)},
          {"hosts", std::move(hosts)}};
}

Json EventsJson(const Report& report) {
  Json events = Json::array();
  for (const Row& row : report.rows) events.push_back(RowJson(report, row));
  return events;
}

Json MetricsJson(const Report& report) {
  Json metrics = Json::array();
  for (const MetricRow& row : report.metrics) metrics.push_back(MetricJson(report, row));
  return metrics;
}

Json TimingJson(const MeasurementResult& result) {
  const bool has_skew = result.start_skew_ns.has_value();
  return {
      {"started_wall_ns", JsonInteger(result.started_wall_ns)},
      {"started",
       absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixNanos(result.started_wall_ns),
                        absl::UTCTimeZone())},
      {"start_skew_ns", has_skew ? JsonInteger(*result.start_skew_ns) : Json(nullptr)},
      {"start_skew_error_ns", has_skew ? JsonInteger(result.start_skew_error_ns) : Json(nullptr)}};
}

}  // namespace

std::string PrintIntervalJson(const Interval& interval, const Report& report) {
  Json hosts = Json::array();
  for (const HostResult& host : report.result.hosts) {
    hosts.push_back({{"host", host.host},
                     {"status", JsonStatus(host.status)},
                     {"measured_ns", JsonInteger(host.measured_ns)},
                     {"notes", Json(host.notes)}});
  }
  return JsonLine({{"schema", "pmu.interval/1"},
                   {"interval", interval.number},
                   {"begin_ns", JsonInteger(interval.begin_ns)},
                   {"end_ns", JsonInteger(interval.end_ns)},
                   {"late", interval.late},
                   {"complete", report.complete},
                   {"events", EventsJson(report)},
                   {"metrics", MetricsJson(report)},
                   {"hosts", std::move(hosts)}});
}

std::string PrintJson(const Report& report, const JsonOptions& options) {
  Json hosts = Json::array();
  for (const HostResult& host : report.result.hosts) hosts.push_back(HostJson(host));
  Json labels = Json::object();
  for (const auto& [key, label] : options.labels) labels[key] = label;
  const Json document = {{"schema", "pmu.run/1"},
                         {"complete", report.complete},
                         {"interrupted", report.result.interrupted},
                         {"timing", TimingJson(report.result)},
                         {"labels", std::move(labels)},
                         {"requested_events", Json(report.result.requested_events)},
                         {"events", EventsJson(report)},
                         {"metrics", MetricsJson(report)},
                         {"hosts", std::move(hosts)}};
  return options.one_line ? JsonLine(document) : JsonText(document);
}

}  // namespace pmu::client
