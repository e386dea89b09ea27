// StartSessionRequest as any bytes, through the checks and the session manager
// to a backend without hardware; what starts is triggered, read and stopped.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "proto/pmu/v1/service.pb.h"
#include "server/log.h"
#include "server/proto_convert.h"
#include "server/session_manager.h"
#include "server/spec_check.h"
#include "tests/fakes/fake_backend.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_scheduler.h"

namespace pmu::server {
namespace {

void UseSession(const pmu::v1::StartSessionRequest& request, Session& session,
                FakeScheduler* scheduler) {
  // The times come from the input, too.
  const int64_t odd_time = request.spec().lease_ns();
  session.Trigger(odd_time, request.spec().target().pid()).IgnoreError();
  session.Trigger(0, odd_time).IgnoreError();
  pmu::v1::Sample sample;
  session.Read([&](const Sample& read, SessionState) { ToProto(read, &sample); });
  session.Stop(odd_time, [](const absl::Status&) {});
  scheduler->Advance(4'000'000'000'000);
  pmu::v1::Session message;
  ToProto(session, &message);
  if (message.SerializeAsString().empty()) abort();
}

void Run(const pmu::v1::StartSessionRequest& request) {
  FakeClock clock;
  FakeScheduler scheduler(&clock);
  FakeBackend backend;
  backend.AddEvent("cycles");
  backend.AddEvent("a");
  backend.AddBroken("b", absl::UnimplementedError("no"));
  backend.AddUnopenable("c", absl::PermissionDeniedError("no"));
  SessionManager manager({&backend}, Limits(), &scheduler, &clock);
  absl::StatusOr<StartRequest> checked = CheckStartRequest(request, manager.limits());
  if (!checked.ok()) return;
  const absl::StatusOr<StartedSession> started = manager.Start(*checked);
  if (started.ok() && started->session != nullptr) {
    UseSession(request, *started->session, &scheduler);
  }
  manager.Shutdown();
  if (backend.open_sets() != 0) abort();
}

}  // namespace
}  // namespace pmu::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  pmu::server::SetLogLevel(pmu::server::LogLevel::kError);
  pmu::v1::StartSessionRequest request;
  if (request.ParseFromArray(bytes, static_cast<int>(count))) pmu::server::Run(request);
  return 0;
}
