// fake_agent.h: a real gRPC server with a scripted PmuService. Tests only.
//
// Listens on a free port of 127.0.0.1. It counts nothing: sessions have the
// times a real agent would report, on a clock that may be years away from the
// machine's, and every counter shows the same count. Calls can be made to fail,
// to come late or to hang, and the agent can go away and come back.
//
// Two CPUs (0 and 1) per event. Events named "missing" are not supported.
// Thread-safe.
#ifndef PMU_TESTS_FAKES_FAKE_AGENT_H_
#define PMU_TESTS_FAKES_FAKE_AGENT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace pmu {

class FakeAgent {
 public:
  FakeAgent();
  // Ends calls under way.
  ~FakeAgent();

  // "127.0.0.1:PORT".
  const std::string& address() const { return address_; }

  // Its CLOCK_MONOTONIC minus this machine's.
  void SetClockOffset(int64_t offset_ns);
  // What every counter shows.
  void SetCount(uint64_t raw_count);
  // Counting begins this much after the planned start.
  void SetEnableLateness(absl::Duration lateness);

  // The next `times` calls of `method` ("Trigger") answer `status`.
  void Fail(const std::string& method, const absl::Status& status, int times = 1'000'000);
  // Calls of `method` are handled this much later.
  void Delay(const std::string& method, absl::Duration delay);
  // Calls of `method` are handled at once, but their answer comes this late.
  void DelayAnswer(const std::string& method, absl::Duration delay);

  // Off the network: connections are cut, new ones refused. Sessions go on.
  void Vanish();
  // Back on the same port.
  void Return();
  // Forgets all sessions, as a restarted agent does; a new agent_instance.
  void ForgetSessions();
  // A new boot_id beside that.
  void Reboot();

  int calls(const std::string& method) const;
  // Sessions that would hold counters: armed or running.
  int open_sessions() const;
  // When it enabled the last session, on this machine's clock; 0: never.
  int64_t enabled_at_ns() const;
  int64_t disabled_at_ns() const;
  std::string last_client_id() const;

 private:
  class Service;
  void Listen(const std::string& address);

  std::unique_ptr<Service> service_;
  struct Server;
  std::unique_ptr<Server> server_;
  std::string address_;
};

}  // namespace pmu

#endif  // PMU_TESTS_FAKES_FAKE_AGENT_H_
