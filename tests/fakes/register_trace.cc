#include "tests/fakes/register_trace.h"

#include <fstream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace pmu::server {

int LoadTraceStep(const std::string& file, int step, FakeMsrDevice* device) {
  std::ifstream in("tests/cases/regs/" + file);
  int current = -1;
  int loaded = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string block;
    std::string address;
    std::string contents;
    words >> block >> address >> contents;
    if (block == "step") (void)absl::SimpleAtoi(address, &current);
    absl::string_view cpu_text = block;
    int cpu = 0;
    uint32_t reg = 0;
    uint64_t number = 0;
    if (current != step || !absl::ConsumePrefix(&cpu_text, "msr") ||
        !absl::SimpleAtoi(cpu_text, &cpu) || !absl::SimpleHexAtoi(address, &reg) ||
        !absl::SimpleHexAtoi(contents, &number)) {
      continue;
    }
    device->Set(cpu, reg, number);
    ++loaded;
  }
  return loaded;
}

}  // namespace pmu::server
