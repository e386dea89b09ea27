// proto_convert.h: the agent's structures as messages of proto/pmu/v1.
//
// Pure functions, safe to call from any thread.
#ifndef PMU_SERVER_PROTO_CONVERT_H_
#define PMU_SERVER_PROTO_CONVERT_H_

#include <string>

#include "absl/types/span.h"
#include "proto/pmu/v1/counter.pb.h"
#include "proto/pmu/v1/host.pb.h"
#include "proto/pmu/v1/session.pb.h"
#include "server/backends/counter_backend.h"
#include "server/event_plan.h"
#include "server/limits.h"
#include "server/sample_ring.h"
#include "server/session.h"

namespace pmu::server {

void ToProto(const CounterInfo& info, const std::string& backend, pmu::v1::Counter* out);
void ToProto(const BackendInfo& info, pmu::v1::Backend* out);
void ToProto(const Limits& limits, pmu::v1::Limits* out);
void ToProto(const PlannedEvent& planned, pmu::v1::ResolvedEvent* out);
void ToProto(const CounterSlot& slot, pmu::v1::CounterSlot* out);
void ToProto(const Session& session, pmu::v1::Session* out);
// Writes into the arrays `out` already has: a message used again allocates
// nothing.
void ToProto(const Sample& sample, pmu::v1::Sample* out);
void ToProto(const IntervalHeader& header, absl::Span<const RawReading> readings,
             pmu::v1::IntervalSample* out);
pmu::v1::SessionState ToProto(SessionState state);

}  // namespace pmu::server

#endif  // PMU_SERVER_PROTO_CONVERT_H_
