#include "client/measurement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/measurement_impl.h"
#include "common/event_spec.h"

namespace pmu::client {
namespace {

absl::Status CheckNumbers(const MeasurementSpec& spec) {
  if (spec.hosts.empty()) return absl::InvalidArgumentError("no hosts to measure");
  if (spec.min_hosts > spec.hosts.size()) {
    return absl::InvalidArgumentError(absl::StrCat("at least ", spec.min_hosts,
                                                   " hosts are required, but only ",
                                                   spec.hosts.size(), " are given"));
  }
  if (spec.duration.has_value() &&
      (*spec.duration <= absl::ZeroDuration() || *spec.duration > absl::Hours(24 * 365))) {
    return absl::InvalidArgumentError("duration must be above 0 and at most a year");
  }
  if (spec.lease < absl::Milliseconds(100) || spec.lease > absl::Hours(24)) {
    return absl::InvalidArgumentError("lease must be between 100ms and 24h");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Measurement>> Measurement::Create(MeasurementSpec spec,
                                                                 FleetOptions options) {
  if (absl::Status status = CheckNumbers(spec); !status.ok()) return status;
  if (options.timeout <= absl::ZeroDuration() || options.timeout > absl::Hours(24)) {
    return absl::InvalidArgumentError("timeout must be above 0 and at most 24h");
  }
  absl::StatusOr<std::vector<EventSpec>> events = ParseEventList(spec.events);
  if (!events.ok()) return events.status();
  std::vector<std::string> texts;
  for (EventSpec& event : *events) texts.push_back(std::move(event.text));
  auto measurement = std::make_unique<MeasurementImpl>(std::move(spec), options, std::move(texts));
  if (absl::Status status = measurement->Connect(); !status.ok()) return status;
  return std::unique_ptr<Measurement>(std::move(measurement));
}

}  // namespace pmu::client
