// register_trace.h: register contents from tests/cases/regs. Tests only.
#ifndef PMU_TESTS_FAKES_REGISTER_TRACE_H_
#define PMU_TESTS_FAKES_REGISTER_TRACE_H_

#include <string>

#include "tests/fakes/fake_msr_device.h"

namespace pmu::server {

// Sets the model-specific registers of one step of tests/cases/regs/`file`;
// returns how many (0: no such file or step).
int LoadTraceStep(const std::string& file, int step, FakeMsrDevice* device);

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_REGISTER_TRACE_H_
