// run_result.h: the JSON of `pmuctl run -j`, as integration tests read it.
//
// Thread-compatible.
#ifndef PMU_TESTS_INTEGRATION_RUN_RESULT_H_
#define PMU_TESTS_INTEGRATION_RUN_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/integration/process.h"

namespace pmu::integration {

class RunResult {
 public:
  // Fails the test when the output is no JSON.
  explicit RunResult(const Finished& finished);

  const nlohmann::json& json() const { return json_; }
  // The row of an event by its label.
  const nlohmann::json& Row(const std::string& label) const;
  const nlohmann::json& Host(const std::string& host) const;
  int64_t StartSkewNs() const;
  int64_t StartSkewErrorNs() const;
  // When each host really enabled, on its own clock. In hosts that share our
  // clock this is the truth that the printed skew is checked against.
  std::vector<int64_t> EnabledOnHostClock() const;

 private:
  nlohmann::json json_;
};

// Integers come as strings, so that readers that use doubles keep every digit.
int64_t Integer(const nlohmann::json& text);

// Largest minus smallest.
int64_t SpreadOf(const std::vector<int64_t>& times);

}  // namespace pmu::integration

#endif  // PMU_TESTS_INTEGRATION_RUN_RESULT_H_
