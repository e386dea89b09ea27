#include "tests/integration/run_result.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "gtest/gtest.h"

namespace pmu::integration {
namespace {

const nlohmann::json& Find(const nlohmann::json& list, const char* key, const std::string& wanted) {
  static const nlohmann::json nothing;
  for (const nlohmann::json& entry : list) {
    if (entry.at(key) == wanted) return entry;
  }
  ADD_FAILURE() << "no " << key << " " << wanted << " in " << list.dump(1);
  return nothing;
}

}  // namespace

RunResult::RunResult(const Finished& finished)
    : json_(nlohmann::json::parse(finished.out, nullptr, /*allow_exceptions=*/false)) {
  if (json_.is_discarded()) {
    ADD_FAILURE() << "no JSON: status " << finished.status << "\n"
                  << finished.out << "\n"
                  << finished.err;
    json_ = nlohmann::json::object();
  }
}

const nlohmann::json& RunResult::Row(const std::string& label) const {
  return Find(json_.at("events"), "label", label);
}

const nlohmann::json& RunResult::Host(const std::string& host) const {
  return Find(json_.at("hosts"), "host", host);
}

int64_t RunResult::StartSkewNs() const { return Integer(json_.at("timing").at("start_skew_ns")); }

int64_t RunResult::StartSkewErrorNs() const {
  return Integer(json_.at("timing").at("start_skew_error_ns"));
}

std::vector<int64_t> RunResult::EnabledOnHostClock() const {
  std::vector<int64_t> times;
  for (const nlohmann::json& host : json_.at("hosts")) {
    if (host.at("enabled").is_null()) continue;
    times.push_back(Integer(host.at("enabled").at("controller_ns")) +
                    Integer(host.at("clock").at("offset_ns")));
  }
  return times;
}

int64_t Integer(const nlohmann::json& text) {
  int64_t number = 0;
  if (!text.is_string() || !absl::SimpleAtoi(text.get<std::string>(), &number)) {
    ADD_FAILURE() << "no integer: " << text.dump();
  }
  return number;
}

int64_t SpreadOf(const std::vector<int64_t>& times) {
  if (times.empty()) return 0;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  return *high - *low;
}

}  // namespace pmu::integration
