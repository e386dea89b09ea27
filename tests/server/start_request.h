// start_request.h: requests for tests.
#ifndef PMU_TESTS_SERVER_START_REQUEST_H_
#define PMU_TESTS_SERVER_START_REQUEST_H_

#include <string>

#include "common/event_spec.h"
#include "gtest/gtest.h"
#include "server/session_spec.h"

namespace pmu::server {

inline StartRequest RequestFor(const std::string& events, const std::string& client = "test",
                               const std::string& key = "") {
  StartRequest request;
  request.spec.events_text = events;
  absl::StatusOr<std::vector<EventSpec>> parsed = ParseEventList(events);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (parsed.ok()) request.spec.events = *std::move(parsed);
  request.spec.client_id = client;
  request.idempotency_key = key;
  request.peer = "test";
  return request;
}

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_START_REQUEST_H_
