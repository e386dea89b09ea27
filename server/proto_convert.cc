#include "server/proto_convert.h"

#include <algorithm>

#include "common/cpu_list.h"
#include "server/utf8.h"

namespace pmu::server {
namespace {

pmu::v1::CounterKind KindToProto(CounterKind kind) {
  switch (kind) {
    case CounterKind::kDelta:
      return pmu::v1::COUNTER_KIND_DELTA;
    case CounterKind::kGauge:
      return pmu::v1::COUNTER_KIND_GAUGE;
  }
  return pmu::v1::COUNTER_KIND_UNSPECIFIED;
}

pmu::v1::CounterDomain DomainToProto(CounterDomain domain) {
  switch (domain) {
    case CounterDomain::kTask:
      return pmu::v1::COUNTER_DOMAIN_TASK;
    case CounterDomain::kCpu:
      return pmu::v1::COUNTER_DOMAIN_CPU;
    case CounterDomain::kCore:
      return pmu::v1::COUNTER_DOMAIN_CORE;
    case CounterDomain::kDie:
      return pmu::v1::COUNTER_DOMAIN_DIE;
    case CounterDomain::kPackage:
      return pmu::v1::COUNTER_DOMAIN_PACKAGE;
    case CounterDomain::kSystem:
      return pmu::v1::COUNTER_DOMAIN_SYSTEM;
  }
  return pmu::v1::COUNTER_DOMAIN_UNSPECIFIED;
}

pmu::v1::CombineRule CombineToProto(CombineRule rule) {
  switch (rule) {
    case CombineRule::kSum:
      return pmu::v1::COMBINE_RULE_SUM;
    case CombineRule::kNone:
      return pmu::v1::COMBINE_RULE_NONE;
  }
  return pmu::v1::COMBINE_RULE_UNSPECIFIED;
}

pmu::v1::PmuHealth HealthToProto(PmuHealth health) {
  switch (health) {
    case PmuHealth::kCounts:
      return pmu::v1::PMU_HEALTH_COUNTS;
    case PmuHealth::kUntested:
      return pmu::v1::PMU_HEALTH_UNTESTED;
    case PmuHealth::kImplausible:
      return pmu::v1::PMU_HEALTH_IMPLAUSIBLE;
    case PmuHealth::kUnavailable:
      return pmu::v1::PMU_HEALTH_UNAVAILABLE;
  }
  return pmu::v1::PMU_HEALTH_UNSPECIFIED;
}

pmu::v1::CounterCapability CapabilityToProto(CounterCapability capability) {
  switch (capability) {
    case CounterCapability::kCascade:
      return pmu::v1::COUNTER_CAPABILITY_CASCADE;
    case CounterCapability::kEdge:
      return pmu::v1::COUNTER_CAPABILITY_EDGE;
    case CounterCapability::kInterrupt:
      return pmu::v1::COUNTER_CAPABILITY_INTERRUPT;
    case CounterCapability::kInvert:
      return pmu::v1::COUNTER_CAPABILITY_INVERT;
    case CounterCapability::kRead:
      return pmu::v1::COUNTER_CAPABILITY_READ;
    case CounterCapability::kPrecise:
      return pmu::v1::COUNTER_CAPABILITY_PRECISE;
    case CounterCapability::kSystem:
      return pmu::v1::COUNTER_CAPABILITY_SYSTEM;
    case CounterCapability::kTagging:
      return pmu::v1::COUNTER_CAPABILITY_TAGGING;
    case CounterCapability::kThreshold:
      return pmu::v1::COUNTER_CAPABILITY_THRESHOLD;
    case CounterCapability::kUser:
      return pmu::v1::COUNTER_CAPABILITY_USER;
    case CounterCapability::kWrite:
      return pmu::v1::COUNTER_CAPABILITY_WRITE;
  }
  return pmu::v1::COUNTER_CAPABILITY_UNSPECIFIED;
}

pmu::v1::ReadingState ReadingStateToProto(ReadingState state) {
  switch (state) {
    case ReadingState::kCounted:
      return pmu::v1::READING_STATE_COUNTED;
    case ReadingState::kNotCounted:
      return pmu::v1::READING_STATE_NOT_COUNTED;
    case ReadingState::kNotSupported:
      return pmu::v1::READING_STATE_NOT_SUPPORTED;
    case ReadingState::kOverflowSuspected:
      return pmu::v1::READING_STATE_OVERFLOW_SUSPECTED;
    case ReadingState::kCpuLost:
      return pmu::v1::READING_STATE_CPU_LOST;
  }
  return pmu::v1::READING_STATE_UNSPECIFIED;
}

void FactToProto(const BackendFact& fact, pmu::v1::BackendFact* out) {
  out->set_name(ValidUtf8(fact.name));
  out->set_text(ValidUtf8(fact.text));
  if (fact.number.has_value()) out->set_number(*fact.number);
  out->set_unit(ValidUtf8(fact.unit));
}

void EncodingToProto(const EventEncoding& encoding, pmu::v1::Encoding* out) {
  out->set_type(encoding.type);
  out->set_config(encoding.config);
  out->set_config1(encoding.config1);
  out->set_config2(encoding.config2);
  out->set_exclude_user(encoding.exclude_user);
  out->set_exclude_kernel(encoding.exclude_kernel);
  out->set_exclude_hv(encoding.exclude_hv);
  out->set_exclude_host(encoding.exclude_host);
  out->set_exclude_guest(encoding.exclude_guest);
  out->set_pinned(encoding.pinned);
}

void SpecToProto(const SessionSpec& spec, pmu::v1::SessionSpec* out) {
  out->set_events(spec.events_text);
  out->mutable_target()->set_cpus(FormatCpuList(spec.target.cpus));
  out->mutable_target()->set_pid(spec.target.pid);
  out->mutable_target()->set_cgroup(spec.target.cgroup);
  out->set_lease_ns(spec.lease_ns);
  out->set_client_id(spec.client_id);
  out->set_freeze_on_smi(spec.freeze_on_smi);
  out->set_multiplex(spec.target.multiplex);
  out->set_cycle_limit(spec.cycle_limit);
  out->set_interval_ns(spec.interval_ns);
  out->set_ring_samples(spec.ring_samples);
  out->mutable_labels()->insert(spec.labels.begin(), spec.labels.end());
}

void ReadingsToProto(absl::Span<const RawReading> readings, pmu::v1::Sample* out) {
  const int count = static_cast<int>(readings.size());
  out->mutable_raw_count()->Resize(count, 0);
  out->mutable_enabled_ns()->Resize(count, 0);
  out->mutable_running_ns()->Resize(count, 0);
  out->mutable_state()->Resize(count, 0);
  const bool has_tsc = std::any_of(readings.begin(), readings.end(),
                                   [](const RawReading& r) { return r.tsc_cycles != 0; });
  out->mutable_tsc_cycles()->Resize(has_tsc ? count : 0, 0);
  for (int i = 0; i < count; ++i) {
    const RawReading& reading = readings[i];
    if (has_tsc) out->set_tsc_cycles(i, reading.tsc_cycles);
    out->set_raw_count(i, reading.raw_count);
    out->set_enabled_ns(i, reading.enabled_ns);
    out->set_running_ns(i, reading.running_ns);
    out->set_state(i, ReadingStateToProto(reading.state));
  }
}

void TimingToProto(const SessionTiming& timing, pmu::v1::SessionTiming* out) {
  out->set_planned_start_ns(timing.planned_start_ns);
  out->set_enable_begin_ns(timing.enable_begin_ns);
  out->set_enable_end_ns(timing.enable_end_ns);
  out->set_planned_stop_ns(timing.planned_stop_ns);
  out->set_disable_begin_ns(timing.disable_begin_ns);
  out->set_disable_end_ns(timing.disable_end_ns);
}

}  // namespace

void ToProto(const CounterInfo& info, const std::string& backend, pmu::v1::Counter* out) {
  out->set_name(ValidUtf8(info.name));
  out->set_backend(backend);
  out->set_pmu(ValidUtf8(info.pmu));
  out->set_description(ValidUtf8(info.description));
  out->set_unit(ValidUtf8(info.unit));
  out->set_scale(info.scale);
  out->set_width_bits(info.width_bits);
  out->set_domain(DomainToProto(info.domain));
  out->set_kind(KindToProto(info.kind));
  out->set_combine(CombineToProto(info.combine));
  out->set_modifiers(info.modifiers);
  for (const CounterCapability capability : info.capabilities) {
    out->add_capabilities(CapabilityToProto(capability));
  }
  out->set_available(info.availability.ok());
  out->set_unavailable_reason(ValidUtf8(info.availability.message()));
  for (const std::string& term : info.required_terms) out->add_required_terms(ValidUtf8(term));
  out->set_simulated(info.simulated);
}

void ToProto(const BackendInfo& info, pmu::v1::Backend* out) {
  out->set_name(info.name);
  out->set_available(info.availability.ok());
  out->set_unavailable_reason(ValidUtf8(info.availability.message()));
  out->set_simulated(info.simulated);
  for (const PmuInfo& pmu : info.pmus) {
    pmu::v1::Pmu* pmu_out = out->add_pmus();
    pmu_out->set_name(ValidUtf8(pmu.name));
    pmu_out->set_type(pmu.type);
    pmu_out->set_cpus(FormatCpuList(pmu.cpus));
    pmu_out->set_health(HealthToProto(pmu.health));
    pmu_out->set_note(ValidUtf8(pmu.note));
  }
  for (const BackendFact& fact : info.facts) FactToProto(fact, out->add_facts());
}

void ToProto(const Limits& limits, pmu::v1::Limits* out) {
  out->set_max_sessions(limits.max_sessions);
  out->set_max_events_per_session(limits.max_events_per_session);
  out->set_max_descriptors(limits.max_descriptors);
  out->set_max_lease_ns(limits.max_lease_ns);
  out->set_min_interval_ns(limits.min_interval_ns);
  out->set_max_ring_bytes(limits.max_ring_bytes);
}

void ToProto(const PlannedEvent& planned, pmu::v1::ResolvedEvent* out) {
  const ResolvedEvent& event = planned.event;
  out->set_requested_index(planned.requested_index);
  out->set_text(ValidUtf8(event.text));
  out->set_backend(planned.backend_name);
  out->set_pmu(ValidUtf8(event.pmu));
  out->set_pmu_family(ValidUtf8(event.pmu_family));
  EncodingToProto(event.encoding, out->mutable_encoding());
  out->set_unit(ValidUtf8(event.unit));
  out->set_scale(event.scale);
  out->set_domain(DomainToProto(event.domain));
  out->set_kind(KindToProto(event.kind));
  out->set_combine(CombineToProto(event.combine));
  for (const int cpu : event.cpus) out->add_cpus(cpu);
  out->set_group(event.group);
  out->set_supported(planned.support.ok());
  out->set_reason(ValidUtf8(planned.support.message()));
  for (const std::string& warning : event.warnings) out->add_warnings(ValidUtf8(warning));
  out->set_placement_bound(event.placement_bound);
  out->set_simulated(event.simulated);
}

void ToProto(const CounterSlot& slot, pmu::v1::CounterSlot* out) {
  out->set_event(slot.event);
  out->set_cpu(slot.cpu);
  out->set_tid(slot.tid);
  out->set_error(ValidUtf8(slot.status.message()));
}

void ToProto(const Session& session, pmu::v1::Session* out) {
  const SessionStatus status = session.Status();
  out->set_id(session.id());
  SpecToProto(session.request().spec, out->mutable_spec());
  out->set_state(ToProto(status.state));
  out->set_failure(ValidUtf8(status.failure));
  TimingToProto(status.timing, out->mutable_timing());
  out->set_lease_expires_ns(status.lease_expires_ns);
  out->set_created_wall_ns(session.created_wall_ns());
  out->set_descriptors(status.descriptors);
  if (session.ring() == nullptr) return;
  out->set_ring_samples(static_cast<uint32_t>(session.ring()->capacity()));
  out->set_last_interval(session.ring()->Available().latest);
}

void ToProto(const Sample& sample, pmu::v1::Sample* out) {
  out->set_sequence(sample.sequence);
  out->set_begin_ns(sample.begin_ns);
  out->set_end_ns(sample.end_ns);
  ReadingsToProto(sample.readings, out);
}

void ToProto(const IntervalHeader& header, absl::Span<const RawReading> readings,
             pmu::v1::IntervalSample* out) {
  out->set_number(header.turn.number);
  out->set_due_ns(header.turn.due_ns);
  out->set_late(header.turn.late);
  out->set_missed_before(header.turn.missed_before);
  out->set_last(header.last);
  out->mutable_sample()->set_sequence(header.sequence);
  out->mutable_sample()->set_begin_ns(header.begin_ns);
  out->mutable_sample()->set_end_ns(header.end_ns);
  ReadingsToProto(readings, out->mutable_sample());
}

pmu::v1::SessionState ToProto(SessionState state) {
  switch (state) {
    case SessionState::kArmed:
      return pmu::v1::SESSION_STATE_ARMED;
    case SessionState::kRunning:
      return pmu::v1::SESSION_STATE_RUNNING;
    case SessionState::kStopped:
      return pmu::v1::SESSION_STATE_STOPPED;
    case SessionState::kFailed:
      return pmu::v1::SESSION_STATE_FAILED;
    case SessionState::kExpired:
      return pmu::v1::SESSION_STATE_EXPIRED;
  }
  return pmu::v1::SESSION_STATE_UNSPECIFIED;
}

}  // namespace pmu::server
