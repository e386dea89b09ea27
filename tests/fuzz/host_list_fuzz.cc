// Host lists: any bytes must give hosts or an error, and folding must not lose
// or invent a host. Files are not touched: texts with '@' are left out.
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/host_list.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

std::vector<std::string> Sorted(std::vector<std::string> hosts) {
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('@') != absl::string_view::npos) return 0;
  const auto list = pmu::ParseHostList(text);
  if (!list.ok()) {
    Require(!list.status().message().empty());
    return 0;
  }
  Require(!list->hosts.empty() && list->hosts.size() <= pmu::kMaxHosts);
  for (const std::string& host : list->hosts) Require(pmu::HostTarget(host).ok());

  const auto again = pmu::ParseHostList(pmu::FoldHostList(list->hosts));
  Require(again.ok());
  Require(again->duplicates.empty());
  Require(Sorted(again->hosts) == Sorted(list->hosts));
  return 0;
}
