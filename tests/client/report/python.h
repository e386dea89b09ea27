// python.h: Python as a second, strict reader of what we print.
#ifndef PMU_TESTS_CLIENT_REPORT_PYTHON_H_
#define PMU_TESTS_CLIENT_REPORT_PYTHON_H_

#include <string>

namespace pmu::client {

// Runs `script` with `input` on its standard input. What it printed, errors
// included; "exit status N" is added when it failed.
std::string RunPython(const std::string& script, const std::string& input);

}  // namespace pmu::client

#endif  // PMU_TESTS_CLIENT_REPORT_PYTHON_H_
