// CPU lists come from sysfs, the wire and people: any bytes must give a list
// that formats back to itself, or an error.
#include <stddef.h>
#include <stdint.h>

#include "absl/strings/string_view.h"
#include "common/cpu_list.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto cpus = pmu::ParseCpuList({reinterpret_cast<const char*>(data), size});
  if (!cpus.ok()) {
    Require(!cpus.status().message().empty());
    return 0;
  }
  for (size_t i = 0; i < cpus->size(); ++i) {
    Require((*cpus)[i] >= 0 && (*cpus)[i] < pmu::kMaxCpus);
    Require(i == 0 || (*cpus)[i - 1] < (*cpus)[i]);
  }
  const auto again = pmu::ParseCpuList(pmu::FormatCpuList(*cpus));
  Require(again.ok() && *again == *cpus);
  return 0;
}
